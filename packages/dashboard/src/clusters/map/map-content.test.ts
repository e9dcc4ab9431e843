import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canvasLabel, countByCluster, dimmedPoints } from './map-content.ts'
import { packPoints } from './map-points.ts'

const POINTS = packPoints(
  ['a', 'b', 'b', 'a', 'c'].map((cluster_id, index) => ({ trace_id: `tr_${index}`, x: 0, y: 0, cluster_id })),
  ['a', 'b', 'c'],
)

test('points that are neither focused nor selected are dimmed', () => {
  assert.equal(dimmedPoints(POINTS, null, null), null)
  assert.deepEqual([...dimmedPoints(POINTS, 1, null)!], [1, 0, 0, 1, 1])
  assert.deepEqual([...dimmedPoints(POINTS, null, [0, 4])!], [0, 1, 1, 1, 0])
  assert.deepEqual([...dimmedPoints(POINTS, 0, [0, 4])!], [0, 1, 1, 1, 1])
})

test('a selection is counted by cluster, the largest first', () => {
  const counts = countByCluster(POINTS, [0, 1, 2, 4])
  assert.deepEqual(counts, [
    { cluster: 1, count: 2 },
    { cluster: 0, count: 1 },
    { cluster: 2, count: 1 },
  ])
})

test('a name on the canvas is one short line, whatever it contains', () => {
  assert.equal(canvasLabel('refund · late', 20), 'refund · late')
  assert.equal(canvasLabel('a\u0007\nb\u202egnp.exe\u2066', 20), 'a b gnp.exe')
  assert.equal(canvasLabel('N'.repeat(500), 10), `${'N'.repeat(9)}…`)
  assert.equal(canvasLabel('👩‍🚀'.repeat(1), 20), '👩‍🚀')
})

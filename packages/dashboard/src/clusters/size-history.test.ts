import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterRun } from '@spoor/contract/schemas/cluster'
import { sizeHistory } from './size-history.ts'

function runOf(id: string, sizes: Readonly<Record<string, number>>): ClusterRun {
  const clusters = Object.entries(sizes).map(([cluster, size]) => ({ id: cluster, label: '', size }))
  return { id, computed_at: `2026-01-0${id}T00:00:00.000Z`, traces: 50, clusters } as unknown as ClusterRun
}

test("a cluster's history starts with its first run, with 0 where it was not found", () => {
  const runs = [runOf('4', { a: 25 }), runOf('3', {}), runOf('2', { a: 10 }), runOf('1', { b: 5 })]
  const history = sizeHistory('a', runs)
  assert.deepEqual(
    history.map(({ runId, size, share }) => [runId, size, share]),
    [
      ['2', 10, 0.2],
      ['3', 0, 0],
      ['4', 25, 0.5],
    ],
  )
  assert.deepEqual(sizeHistory('c', runs), [])
})

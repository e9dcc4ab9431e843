import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseRow, zeroMatrix, type Matrix } from '../matrix.ts'
import { settleNewClusters, fixClusters } from './settle-new-clusters.ts'

function unitRows(rows: readonly (readonly number[])[]): Matrix {
  const matrix = zeroMatrix(rows.length, 3)
  rows.forEach((row, index) => {
    matrix.values.set(row, 3 * index)
    normaliseRow(matrix.values.subarray(3 * index, 3 * index + 3))
  })
  return matrix
}

const OLD = unitRows([[1, 0, 0]])
const POINTS = unitRows([
  [1, 0.1, 0],
  [1, -0.1, 0.2],
  [0, 1, 0.1],
  [0, 1, -0.1],
  [0.1, 0, 1],
  [-0.1, 0, 1],
])

test('fixed clusters do not move, an added one moves to the mean of the points nearer to it', () => {
  const { k, assignments, centroids } = settleNewClusters(POINTS, fixClusters(POINTS, OLD), unitRows([[0.5, 1, 0]]))
  assert.equal(k, 2)
  assert.deepEqual([...assignments.subarray(0, 4)], [0, 0, 1, 1])
  assert.deepEqual([...centroids.values.subarray(0, 3)], [1, 0, 0])
})

test('a cluster between two topics leaves the second topic to a further one', () => {
  const fixed = fixClusters(POINTS, OLD)
  const between = settleNewClusters(POINTS, fixed, unitRows([[0, 1, 1]]))
  const apart = settleNewClusters(
    POINTS,
    fixed,
    unitRows([
      [0, 1, 1],
      [0, 0, 1],
    ]),
  )
  assert.deepEqual([...between.assignments], [0, 0, 1, 1, 1, 1])
  assert.deepEqual([...apart.assignments], [0, 0, 1, 1, 2, 2])
  assert.ok(apart.objective > between.objective)
})

test('without an added cluster the points stay as assigned', () => {
  const fixed = fixClusters(POINTS, OLD)
  const { k, assignments, objective } = settleNewClusters(POINTS, fixed, zeroMatrix(0, 3))
  assert.equal(k, 1)
  assert.deepEqual(assignments, fixed.assignments)
  assert.ok(Math.abs(objective - fixed.cosines.reduce((sum, cosine) => sum + cosine, 0)) < 1e-6)
})

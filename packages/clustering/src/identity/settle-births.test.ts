import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseRow, zeroMatrix, type Matrix } from '../matrix.ts'
import { joinLastBirth, settleBirths, standStill } from './settle-births.ts'

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

test('what stands still does not move, and what is born goes to the middle of what is nearer to it', () => {
  const { k, assignments, centroids } = settleBirths(POINTS, standStill(POINTS, OLD), unitRows([[0.5, 1, 0]]))
  assert.equal(k, 2)
  assert.deepEqual([...assignments.subarray(0, 4)], [0, 0, 1, 1])
  assert.deepEqual([...centroids.values.subarray(0, 3)], [1, 0, 0])
})

test('one that lay between two topics leaves the second to another', () => {
  const standing = standStill(POINTS, OLD)
  const between = settleBirths(POINTS, standing, unitRows([[0, 1, 1]]))
  const apart = settleBirths(
    POINTS,
    standing,
    unitRows([
      [0, 1, 1],
      [0, 0, 1],
    ]),
  )
  assert.deepEqual([...between.assignments], [0, 0, 1, 1, 1, 1])
  assert.deepEqual([...apart.assignments], [0, 0, 1, 1, 2, 2])
  assert.ok(apart.objective > between.objective)
})

test('without any it is how the points lie', () => {
  const standing = standStill(POINTS, OLD)
  const { k, assignments, objective } = settleBirths(POINTS, standing, zeroMatrix(0, 3))
  assert.equal(k, 1)
  assert.deepEqual(assignments, standing.assignments)
  assert.ok(Math.abs(objective - standing.cosines.reduce((sum, cosine) => sum + cosine, 0)) < 1e-6)
})

test('two parts of a topic are joined, the rest stays apart; one birth has nothing to join', () => {
  const points = unitRows([
    [1, 0, 0],
    [0.1, 1, 0.1],
    [0.1, 1, -0.1],
    [-0.1, 1, 0.1],
    [-0.1, 1, -0.1],
    [0, 0.1, 1],
    [0, -0.1, 1],
  ])
  const standing = standStill(points, OLD)
  const births = unitRows([
    [0.1, 1, 0],
    [0, 0, 1],
    [-0.1, 1, 0],
  ])
  const apart = settleBirths(points, standing, births)
  assert.deepEqual([...apart.assignments], [0, 1, 1, 3, 3, 2, 2])
  const joined = joinLastBirth(points, standing, apart)
  assert.deepEqual([...(joined?.assignments ?? [])], [0, 1, 1, 1, 1, 2, 2])
  assert.equal(joined?.k, 3)
  assert.ok(joined.objective < apart.objective)
  assert.equal(joinLastBirth(points, standing, settleBirths(points, standing, unitRows([[0, 1, 0]]))), null)
})

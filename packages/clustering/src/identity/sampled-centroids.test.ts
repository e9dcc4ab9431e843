import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../partition/seeded-random.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { dot } from './cosines.ts'
import { sampledCentroids } from './sampled-centroids.ts'

const COLUMNS = 64

/** Unit vectors around the first direction; the wider the scatter, the less they agree. */
function sampleOf(size: number, scatter: number, random: () => number): Matrix {
  const points = zeroMatrix(size, COLUMNS)
  for (let row = 0; row < size; row++) {
    const point = rowOf(points, row)
    for (let column = 0; column < COLUMNS; column++) point[column] = scatter * (random() + random() - 1)
    point[0]! += 1
    normaliseRow(point)
  }
  return points
}

function centroidOf(points: Matrix) {
  const centroids = zeroMatrix(1, COLUMNS)
  for (let row = 0; row < points.rows; row++) {
    rowOf(points, row).forEach((value, column) => (centroids.values[column]! += value))
  }
  normaliseRow(centroids.values)
  return sampledCentroids(points, { k: 1, assignments: new Int32Array(points.rows), centroids, objective: 0 })
}

test('two samples of one topic agree as much as their sizes and cohesions predict', () => {
  for (const size of [5, 13, 25, 75]) {
    for (const scatter of [0.1, 0.4, 0.6]) {
      let [agreed, predicted] = [0, 0]
      for (let seed = 0; seed < 60; seed++) {
        const random = createRandom(seed)
        const one = centroidOf(sampleOf(size, scatter, random))
        const other = centroidOf(sampleOf(2 * size, scatter, random))
        agreed += dot(one.centroids.values, other.centroids.values) / 60
        predicted += (one.precisions[0]! * other.precisions[0]!) / 60
      }
      assert.ok(Math.abs(agreed - predicted) < 0.03, `${size} at ${scatter}: ${agreed} for ${predicted}`)
    }
  }
})

test('one trace has precision 0, equal traces have precision 1', () => {
  const random = createRandom(1)
  assert.equal(centroidOf(sampleOf(1, 0.4, random)).precisions[0], 0)
  assert.ok(centroidOf(sampleOf(20, 0, random)).precisions[0]! > 0.999)
})

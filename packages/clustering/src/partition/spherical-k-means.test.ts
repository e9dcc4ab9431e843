import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { normaliseRow, pickRows, rowOf, zeroMatrix } from '../matrix.ts'
import { blobs } from './blobs.test-support.ts'
import { createRandom } from './seeded-random.ts'
import { seedCentroids } from './seed-centroids.ts'
import { sphericalKMeans } from './spherical-k-means.ts'

const input = fc.record({
  count: fc.integer({ min: 1, max: 6 }),
  rows: fc.integer({ min: 6, max: 60 }),
  spread: fc.double({ min: 0, max: 3, noNaN: true }),
  seed: fc.nat(),
  k: fc.integer({ min: 1, max: 9 }),
})

test('points around directions are clustered by them', () => {
  const points = blobs(5, 100, 0.3)
  const { assignments, objective } = sphericalKMeans(points, seedCentroids(points, 5, createRandom(1)))
  for (let point = 0; point < 100; point++) assert.equal(assignments[point], assignments[point % 5])
  assert.equal(new Set(assignments).size, 5)
  assert.ok(objective > 90 && objective <= 100)
})

test('the objective never decreases from round to round and is the sum of cosines', () => {
  fc.assert(
    fc.property(input, ({ count, rows, spread, seed, k }) => {
      const points = blobs(count, rows, spread, seed)
      const start = seedCentroids(points, k, createRandom(seed))
      let before = -Infinity
      for (let mostIterations = 1; mostIterations < 8; mostIterations++) {
        const { objective, assignments, centroids } = sphericalKMeans(points, start, { mostIterations, leastGain: 0 })
        assert.ok(objective >= before - 1e-4, `${objective} after ${before}`)
        before = objective
        let sum = 0
        assignments.forEach((cluster, point) => {
          rowOf(points, point).forEach((value, index) => (sum += value * rowOf(centroids, cluster)[index]!))
        })
        assert.ok(Math.abs(sum - objective) < 1e-3)
      }
    }),
    { numRuns: 40 },
  )
})

test('the same points and seed give the same bytes; points in another order the same groups', () => {
  fc.assert(
    fc.property(input, ({ count, rows, seed, k }) => {
      const points = blobs(count, rows, 0.5, seed)
      const start = seedCentroids(points, k, createRandom(seed))
      const first = sphericalKMeans(points, start)
      assert.deepEqual(sphericalKMeans(points, seedCentroids(points, k, createRandom(seed))), first)
      const random = createRandom(seed + 1)
      const order = Uint32Array.from({ length: rows }, (_, index) => index)
      const keys = Float64Array.from(order, random)
      order.sort((a, b) => keys[a]! - keys[b]!)
      const shuffled = sphericalKMeans(pickRows(points, order), start)
      order.forEach((from, to) => assert.equal(shuffled.assignments[to], first.assignments[from]))
    }),
    { numRuns: 40 },
  )
})

test('there are no more seeds than distinct points, and no zero seed beside others', () => {
  assert.equal(seedCentroids(blobs(3, 30, 0), 8, createRandom(1)).rows, 3)
  assert.deepEqual(seedCentroids(zeroMatrix(4, 3), 2, createRandom(1)), zeroMatrix(1, 3))
  const withZeros = blobs(2, 10, 0)
  rowOf(withZeros, 0).fill(0)
  rowOf(withZeros, 1).fill(0)
  assert.equal(seedCentroids(withZeros, 5, createRandom(1)).rows, 2)
})

test('a centroid without points gets one', () => {
  const points = blobs(3, 30, 0.2)
  const twice = zeroMatrix(3, points.columns)
  for (const cluster of [0, 1, 2]) rowOf(twice, cluster).set(rowOf(points, cluster === 2 ? 1 : 0))
  assert.equal(new Set(sphericalKMeans(points, twice).assignments).size, 3)
})

test('zero points are assigned to a cluster and move no centroid', () => {
  const points = blobs(2, 20, 0.2)
  rowOf(points, 7).fill(0)
  const { assignments, centroids } = sphericalKMeans(points, seedCentroids(points, 2, createRandom(1)))
  assert.ok(assignments[7] === 0 || assignments[7] === 1)
  assert.ok(centroids.values.every(Number.isFinite))
})

test('fixed centroids stay, and further ones settle among the points that are nearer to them', () => {
  const rows = (...values: readonly number[][]) => {
    const matrix = zeroMatrix(values.length, 3)
    values.forEach((value, row) => {
      rowOf(matrix, row).set(value)
      normaliseRow(rowOf(matrix, row))
    })
    return matrix
  }
  const points = rows([1, 0.1, 0], [1, -0.1, 0.2], [0, 1, 0.1], [0, 1, -0.1], [0.1, 0, 1], [-0.1, 0, 1])
  const settle = (...added: readonly number[][]) => sphericalKMeans(points, rows([1, 0, 0], ...added), { fixed: 1 })
  const between = settle([0, 1, 1])
  assert.deepEqual([...between.assignments], [0, 0, 1, 1, 1, 1])
  assert.deepEqual([...rowOf(between.centroids, 0)], [1, 0, 0])
  const apart = settle([0, 1, 1], [0, 0, 1])
  assert.deepEqual([...apart.assignments], [0, 0, 1, 1, 2, 2])
  assert.ok(apart.objective > between.objective)
})

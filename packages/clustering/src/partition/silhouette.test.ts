import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rowOf, type Matrix } from '../matrix.ts'
import { blobs } from './blobs.test-support.ts'
import { createRandom } from './seeded-random.ts'
import { seedCentroids } from './seed-centroids.ts'
import { silhouette } from './silhouette.ts'
import { sphericalKMeans } from './spherical-k-means.ts'

/** By its definition: all pairs of points. */
function byDefinition(points: Matrix, assignments: Int32Array): number {
  const distance = (a: number, b: number): number =>
    1 - rowOf(points, a).reduce((sum, value, index) => sum + value * rowOf(points, b)[index]!, 0)
  let total = 0
  assignments.forEach((own, point) => {
    const means = new Map<number, { sum: number; count: number }>()
    assignments.forEach((cluster, other) => {
      if (other === point) return
      const mean = means.get(cluster) ?? { sum: 0, count: 0 }
      means.set(cluster, { sum: mean.sum + distance(point, other), count: mean.count + 1 })
    })
    const within = means.get(own)
    if (within === undefined || means.size < 2) return
    const a = within.sum / within.count
    const b = Math.min(...[...means].filter(([cluster]) => cluster !== own).map(([, { sum, count }]) => sum / count))
    total += (b - a) / Math.max(a, b)
  })
  return total / assignments.length
}

test('the silhouette from sums equals the one from all pairs of points', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 6 }), fc.nat(), (k, seed) => {
      const points = blobs(4, 40, 1, seed)
      const partition = sphericalKMeans(points, seedCentroids(points, k, createRandom(seed)))
      assert.ok(Math.abs(silhouette(points, partition) - byDefinition(points, partition.assignments)) < 1e-4)
    }),
    { numRuns: 25 },
  )
})

test('one group, and identical points, have a silhouette of 0', () => {
  const points = blobs(1, 10, 0)
  const halves = {
    k: 2,
    assignments: Int32Array.from({ length: 10 }, (_, index) => index % 2),
    centroids: points,
    objective: 0,
  }
  assert.equal(silhouette(points, halves), 0)
  assert.equal(silhouette(points, { ...halves, k: 1, assignments: new Int32Array(10) }), 0)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRandom } from '../partition/seeded-random.ts'
import { zeroMatrix, type Matrix } from '../matrix.ts'
import { matchClusters } from './match-clusters.ts'
import { countOverlap } from './overlap.ts'
import type { SampledCentroids } from './sampled-centroids.ts'
import { IDENTITY_THRESHOLDS } from './thresholds.ts'

/** Unit vectors in a plane at these angles, in degrees. */
function directions(...angles: readonly number[]): Matrix {
  const matrix = zeroMatrix(angles.length, 2)
  angles.forEach((angle, row) => {
    matrix.values[2 * row] = Math.cos((angle * Math.PI) / 180)
    matrix.values[2 * row + 1] = Math.sin((angle * Math.PI) / 180)
  })
  return matrix
}

const known = (centroids: Matrix, precision: number): SampledCentroids => ({
  centroids,
  precisions: new Float64Array(centroids.rows).fill(precision),
})

const match = (previous: Matrix, current: Matrix, then: readonly number[], now: readonly number[], precision = 1) =>
  matchClusters(
    known(previous, precision),
    known(current, precision),
    countOverlap(Int32Array.from(then), previous.rows, Int32Array.from(now), current.rows),
    IDENTITY_THRESHOLDS,
  ).map((kept) => kept?.previous ?? null)

const times = (count: number, value: number) => Array.from({ length: count }, () => value)

test('with enough common traces, they decide and centroids do not', () => {
  const far = [directions(0, 90), directions(80, 170)] as const
  assert.deepEqual(match(...far, [...times(30, 0), ...times(30, 1)], [...times(30, 0), ...times(30, 1)]), [0, 1])
  const near = [directions(0, 90), directions(1, 91)] as const
  const scattered = Array.from({ length: 60 }, (_, index) => index % 2)
  assert.deepEqual(match(...near, [...times(30, 0), ...times(30, 1)], scattered), [null, null])
})

test('without common traces the centroids decide', () => {
  assert.deepEqual(match(directions(0, 90), directions(91, 20), [], []), [1, 0])
  assert.deepEqual(match(directions(0, 90), directions(38, 52), [], []), [null, null], 'cosine 0.79')
})

test('the less precise the centroids, the less they need to agree', () => {
  const turned = (degrees: number) => [directions(0), directions(degrees), [], []] as const
  assert.deepEqual(match(...turned(45)), [null])
  assert.deepEqual(match(...turned(45), 0.9), [0], 'cosine 0.71 of 0.81 expected')
  assert.deepEqual(match(...turned(52), 0.9), [null])
  assert.deepEqual(match(...turned(65), 0.1), [null], 'never below a cosine of 0.48')
})

test('with a few common traces the centroids decide', () => {
  assert.deepEqual(match(directions(0), directions(30), times(6, 0), times(6, 0)), [0])
  assert.deepEqual(match(directions(0), directions(45), times(6, 0), times(6, 0)), [null])
})

test('an id goes to one cluster: the one with most of its traces', () => {
  const then = times(100, 0)
  assert.deepEqual(match(directions(0), directions(5, -5), then, [...times(45, 0), ...times(55, 1)]), [null, 0])
})

test('the order of clusters does not change the match', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(), (k, seed) => {
      const random = createRandom(seed)
      const then = Array.from({ length: 60 * k }, (_, index) => index % k)
      // One in ten goes elsewhere.
      const now = then.map((cluster) => (random() < 0.1 ? Math.floor(random() * k) : cluster))
      const order = Array.from({ length: k }, (_, cluster) => ({ cluster, by: random() }))
      const places = order.sort((a, b) => a.by - b.by).map(({ cluster }) => cluster)
      const angles = Array.from({ length: k }, (_, cluster) => 15 * cluster)
      const shuffled = directions(...angles.map((_, place) => angles[places.indexOf(place)]!))
      const matched = match(
        directions(...angles),
        shuffled,
        then,
        now.map((cluster) => places[cluster]!),
      )
      assert.deepEqual(
        matched,
        Array.from({ length: k }, (_, place) => places.indexOf(place)),
      )
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { groupClusters } from './group-clusters.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from './matrix.ts'
import { createRandom } from './partition/seeded-random.ts'

const COLUMNS = 64

/**
 * Centroids that share the direction of their area, with this weight, and have one of their own. Those of an area are
 * not neighbours.
 */
function centroidsOf(areas: number, each: number, seed: number, weight = 1): Matrix {
  const random = createRandom(seed)
  const centroids = zeroMatrix(areas * each, COLUMNS)
  for (let cluster = 0; cluster < centroids.rows; cluster++) {
    const row = rowOf(centroids, cluster)
    for (let index = areas; index < COLUMNS; index++) row[index] = random() - 0.5
    normaliseRow(row)
    row[cluster % areas] = weight
    normaliseRow(row)
  }
  return centroids
}

/** The clusters of each area. */
const areasOf = (areas: number, each: number) =>
  Array.from({ length: areas }, (_, area) => Array.from({ length: each }, (_unused, index) => area + index * areas))

test('clusters of an area are a topic, whatever the number of areas', () => {
  for (const [areas, each] of [
    [2, 8],
    [3, 4],
    [4, 5],
    [6, 4],
    [8, 6],
  ] as const) {
    for (let seed = 1; seed <= 5; seed++) {
      const found = groupClusters(centroidsOf(areas, each, seed), [])
      assert.deepEqual(found, areasOf(areas, each), `${areas} areas of ${each} at seed ${seed}`)
    }
  }
})

test('a cluster that is like no other is alone', () => {
  const centroids = zeroMatrix(21, COLUMNS + 1)
  const areas = centroidsOf(4, 5, 1)
  for (let cluster = 0; cluster < 20; cluster++) rowOf(centroids, cluster).set(rowOf(areas, cluster))
  rowOf(centroids, 20)[COLUMNS] = 1
  assert.deepEqual(groupClusters(centroids, []).at(-1), [20])
})

test('few clusters have no topics', () => {
  assert.deepEqual(groupClusters(centroidsOf(1, 11, 1), []), [])
  assert.equal(groupClusters(centroidsOf(2, 6, 1), []).length, 2)
})

test('clusters without clear areas keep their topics when their centroids move a little', () => {
  let moved = 0
  for (let seed = 1; seed <= 10; seed++) {
    const vague = centroidsOf(4, 6, seed, 0)
    const topics = groupClusters(vague, [])
    const random = createRandom(seed)
    const values = vague.values.map((value) => value + 0.05 * (random() - 0.5))
    const next = { ...vague, values }
    const former = Array.from({ length: 24 }, (_, cluster) => `${topics.findIndex((one) => one.includes(cluster))}`)
    assert.deepEqual(groupClusters(next, former), topics, `seed ${seed}`)
    if (!isDeepStrictEqual(groupClusters(next, []), topics)) moved++
  }
  assert.ok(moved > 2, `${moved} of 10 would have changed`)
})

test('clusters that have clear areas now leave their former topics', () => {
  const former = Array.from({ length: 24 }, (_, cluster) => `topic ${Math.floor(cluster / 6)}`)
  assert.deepEqual(groupClusters(centroidsOf(4, 6, 1), former), areasOf(4, 6))
})

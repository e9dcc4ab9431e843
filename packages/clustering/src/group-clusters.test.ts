import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupClusters } from './group-clusters.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from './matrix.ts'
import { createRandom } from './partition/seeded-random.ts'

const COLUMNS = 64

/** Centroids that share the direction of their area, and have one of their own. Those of an area are not neighbours. */
function centroidsOf(areas: number, each: number, seed: number): Matrix {
  const random = createRandom(seed)
  const direction = () => {
    const row = Float32Array.from({ length: COLUMNS }, () => random() - 0.5)
    normaliseRow(row)
    return row
  }
  const shared = Array.from({ length: areas }, direction)
  const centroids = zeroMatrix(areas * each, COLUMNS)
  for (let cluster = 0; cluster < centroids.rows; cluster++) {
    const row = rowOf(centroids, cluster)
    const own = direction()
    shared[cluster % areas]!.forEach((value, index) => (row[index] = value + own[index]!))
    normaliseRow(row)
  }
  return centroids
}

test('clusters of an area are a topic, whatever the number of areas', () => {
  for (const [areas, each] of [
    [2, 8],
    [3, 4],
    [4, 5],
    [6, 4],
    [8, 6],
  ] as const) {
    for (let seed = 1; seed <= 5; seed++) {
      const expected = Array.from({ length: areas }, (_, area) =>
        Array.from({ length: each }, (_unused, index) => area + index * areas),
      )
      const found = groupClusters(centroidsOf(areas, each, seed))
      assert.deepEqual(found, expected, `${areas} areas of ${each} at seed ${seed}`)
    }
  }
})

test('a cluster that is like no other is alone', () => {
  const centroids = zeroMatrix(21, COLUMNS + 1)
  const areas = centroidsOf(4, 5, 1)
  for (let cluster = 0; cluster < 20; cluster++) rowOf(centroids, cluster).set(rowOf(areas, cluster))
  rowOf(centroids, 20)[COLUMNS] = 1
  assert.deepEqual(groupClusters(centroids).at(-1), [20])
})

test('few clusters have no topics', () => {
  assert.deepEqual(groupClusters(centroidsOf(1, 11, 1)), [])
  assert.equal(groupClusters(centroidsOf(2, 6, 1)).length, 2)
})

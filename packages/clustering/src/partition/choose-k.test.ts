import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { zeroMatrix, type Matrix } from '../matrix.ts'
import { blobs } from './blobs.test-support.ts'
import { chooseK } from './choose-k.ts'
import type { Partition } from './partition.ts'
import { createRandom } from './seeded-random.ts'

const choose = (points: Matrix, kMin = 2, kMax = 12): Partition =>
  chooseK(points, { kMin, kMax, random: createRandom(1) })

describe('separate groups are counted correctly for any range', () => {
  for (const count of [3, 5, 8]) {
    for (const kMax of [12, 25, 50])
      test(`${count} groups, up to ${kMax}`, () => assert.equal(choose(blobs(count, 160, 0.4), 2, kMax).k, count))
  }
})

test('the same points and seed give the same bytes', () => {
  const points = blobs(6, 120, 1)
  assert.deepEqual(choose(points), choose(points))
})

test('with fewer distinct points than k there are as many groups as points', () => {
  const { k, assignments } = choose(blobs(3, 60, 0), 5, 12)
  assert.equal(k, 3)
  assert.equal(new Set(assignments).size, 3)
  assert.ok(choose(blobs(4, 4, 1), 2, 50).k <= 4)
})

test('identical points, zeros, one point or none are one group', () => {
  assert.equal(choose(blobs(1, 40, 0)).k, 1)
  assert.equal(choose(zeroMatrix(40, 3)).k, 1)
  assert.equal(choose(blobs(1, 1, 0)).k, 1)
  const none = choose(zeroMatrix(0, 3))
  assert.deepEqual([none.k, none.assignments.length], [1, 0])
})

test('with many points k is evaluated on a sample, and all of them are clustered', () => {
  const points = blobs(4, 10_400, 0.5, 1, 8)
  const { k, assignments } = choose(points, 2, 6)
  assert.equal(k, 4)
  assert.equal(assignments.length, 10_400)
  for (let point = 4; point < 10_400; point++) assert.equal(assignments[point], assignments[point % 4])
})

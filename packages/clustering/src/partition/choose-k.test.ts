import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { zeroMatrix, type Matrix } from '../matrix.ts'
import { blobs } from './blobs.test-support.ts'
import { chooseK, type ChosenK } from './choose-k.ts'
import { createRandom } from './seeded-random.ts'

const choose = (points: Matrix, kMin = 2, kMax = 12, previousK: number | null = null): ChosenK =>
  chooseK(points, { kMin, kMax, previousK, random: createRandom(1) })

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

test('the previous k stays unless another is over five percent better', () => {
  const points = blobs(7, 140, 1.4)
  const { k, scores } = choose(points)
  for (const { k: before, score } of scores) {
    const best = scores.find((one) => one.k === k)!.score!
    if (score === null) continue
    const now = choose(points, 2, 12, before)
    // With a large previous k, the range is not narrowed below it, and the scores differ; with one in the range they
    // are these.
    if (best <= 1.05 * score) assert.equal(now.k, before)
    else if (before <= 2 * k) assert.equal(now.k, k)
  }
})

test('with fewer distinct points than k there are as many groups as points', () => {
  const { k, partition } = choose(blobs(3, 60, 0), 5, 12)
  assert.equal(k, 3)
  assert.equal(new Set(partition.assignments).size, 3)
  assert.equal(choose(blobs(4, 4, 1), 2, 50).scores.at(-1)!.k, 4)
})

test('identical points, zeros, one point or none are one group', () => {
  assert.equal(choose(blobs(1, 40, 0)).k, 1)
  assert.equal(choose(zeroMatrix(40, 3)).k, 1)
  assert.equal(choose(blobs(1, 1, 0)).k, 1)
  const none = choose(zeroMatrix(0, 3))
  assert.deepEqual([none.k, none.partition.assignments.length], [1, 0])
})

test('with many points k is evaluated on a sample, and all of them are clustered', () => {
  const points = blobs(4, 10_400, 0.5, 1, 8)
  const { k, partition } = choose(points, 2, 6)
  assert.equal(k, 4)
  assert.equal(partition.assignments.length, 10_400)
  for (let point = 4; point < 10_400; point++)
    assert.equal(partition.assignments[point], partition.assignments[point % 4])
})

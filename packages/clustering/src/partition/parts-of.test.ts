import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tracesOf } from '../topics.test-support.ts'
import { partsOf } from './parts-of.ts'

function partsOfTopics(sizes: readonly number[]) {
  const { points, traceIds } = tracesOf(sizes.map((to, topic) => ({ topic, to })))
  const members = Uint32Array.from(traceIds.keys())
  const parts = partsOf(points, members)
  assert.deepEqual(partsOf(points, members), parts)
  assert.deepEqual(Uint32Array.from(parts.flatMap((part) => [...part])).toSorted(), members)
  return parts.map((part) => Array.from(part, (point) => Number(traceIds[point]!.split('_')[2])))
}

const all = (topic: number, count: number) => Array.from({ length: count }, () => topic)

test('the order of the members does not decide', () => {
  const { points } = tracesOf([
    { topic: 0, to: 40 },
    { topic: 1, to: 8 },
  ])
  const members = Uint32Array.from({ length: points.rows }, (_, index) => index)
  for (let turn = 0; turn < members.length; turn += 5) {
    const turned = Uint32Array.from([...members.subarray(turn), ...members.subarray(0, turn)])
    assert.deepEqual(
      partsOf(points, turned).map((part) => part.length),
      [40, 8],
      String(turn),
    )
  }
})

test('a mixed cluster has its two kinds as parts, the larger first', () => {
  assert.deepEqual(partsOfTopics([30, 50]), [all(1, 50), all(0, 30)])
  assert.deepEqual(partsOfTopics([50, 30]), [all(0, 50), all(1, 30)])
})

/** `first` points in one direction, `second` in one at this cosine to it. */
const twoDirections = (first: number, second: number, cosine: number) => ({
  rows: first + second,
  columns: 2,
  values: Float32Array.from({ length: 2 * (first + second) }, (_, at) => {
    const [x, y] = at < 2 * first ? [1, 0] : [cosine, Math.sqrt(1 - cosine ** 2)]
    return at % 2 === 0 ? x : y
  }),
})

function sizesOfParts(first: number, second: number, cosine: number) {
  const members = Uint32Array.from({ length: first + second }, (_, index) => index)
  return partsOf(twoDirections(first, second, cosine), members).map((part) => [part.length, part.at(-1)])
}

test('a few strangers are no part; they are the farthest members', () => {
  assert.deepEqual(sizesOfParts(19, 2, 0), [[21, 20]])
  assert.deepEqual(sizesOfParts(18, 3, 0), [[21, 20]])
  assert.deepEqual(sizesOfParts(18, 4, 0), [
    [18, 17],
    [4, 21],
  ])
})

test('two variants of one kind are one part', () => {
  assert.deepEqual(sizesOfParts(6, 4, 0.5), [[10, 9]])
  assert.deepEqual(sizesOfParts(6, 4, 0.4), [
    [6, 5],
    [4, 9],
  ])
})

test('points without a direction, and a single one, are one part', () => {
  const zeros = { rows: 3, columns: 2, values: new Float32Array(6) }
  assert.deepEqual(partsOf(zeros, Uint32Array.of(0, 1, 2)), [Uint32Array.of(0, 1, 2)])
  assert.deepEqual(partsOf(zeros, Uint32Array.of(1)), [Uint32Array.of(1)])
})

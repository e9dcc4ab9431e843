import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../partition/seeded-random.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { tracesOf } from '../topics.test-support.ts'
import { carryFrame } from './carry-frame.ts'
import { layOutMap } from './lay-out-map.ts'

const TOPICS = [0, 1, 2, 3, 4].map((topic) => ({ topic, to: 50 }))
const { points: POINTS, traceIds: IDS } = tracesOf(TOPICS)
const PARTITION = { assignments: Int32Array.from(IDS, (id) => Number(id.split('_')[2])), k: 5 }
const SAME = Int32Array.from(IDS.keys())

/** The points along other and more directions, with noise. */
function seenAnew(points: Matrix, noise: number): Matrix {
  const random = createRandom(7)
  const columns = 40
  const basis = Array.from({ length: points.columns }, () =>
    Float64Array.from({ length: columns }, () => random() - 0.5),
  )
  for (const [at, row] of basis.entries()) {
    for (const before of basis.slice(0, at)) {
      const part = row.reduce((sum, value, index) => sum + value * before[index]!, 0)
      row.forEach((value, index) => (row[index] = value - part * before[index]!))
    }
    const length = Math.hypot(...row)
    row.forEach((value, index) => (row[index] = value / length))
  }
  const turned = zeroMatrix(points.rows, columns)
  for (let row = 0; row < points.rows; row++) {
    const target = rowOf(turned, row)
    rowOf(points, row).forEach((value, at) => basis[at]!.forEach((part, index) => (target[index]! += value * part)))
    target.forEach((value, index) => (target[index] = value + noise * (random() - 0.5)))
    normaliseRow(target)
  }
  return turned
}

function meanMove(first: Float32Array, second: Float32Array): number {
  let sum = 0
  for (let at = 0; at < first.length; at += 2)
    sum += Math.hypot(first[at]! - second[at]!, first[at + 1]! - second[at + 1]!)
  return sum / (first.length / 2)
}

test('traces stay where they were along other directions, with noise', () => {
  const then = layOutMap(POINTS, PARTITION, null)
  for (const [noise, limit] of [
    [0, 0.01],
    [0.1, 0.05],
  ] as const) {
    const now = layOutMap(seenAnew(POINTS, noise), PARTITION, { frame: then, indexes: SAME, comparable: false })
    assert.ok(meanMove(then.positions, now.positions) < limit, `${meanMove(then.positions, now.positions)} at ${noise}`)
  }
})

test('directions are orthogonal and of length 1', () => {
  const then = layOutMap(POINTS, PARTITION, null)
  const { directions } = carryFrame(seenAnew(POINTS, 0.5), then, SAME)!
  const [x, y] = [rowOf(directions, 0), rowOf(directions, 1)]
  const product = (first: Float32Array, second: Float32Array) =>
    first.reduce((sum, value, index) => sum + value * second[index]!, 0)
  assert.ok(Math.abs(product(x, x) - 1) < 1e-5)
  assert.ok(Math.abs(product(y, y) - 1) < 1e-5)
  assert.ok(Math.abs(product(x, y)) < 1e-5)
})

test('traces that do not determine a plane carry no frame', () => {
  const then = layOutMap(POINTS, PARTITION, null)
  const few = SAME.map((index) => (index < 2 ? index : -1))
  assert.equal(carryFrame(POINTS, then, few), null)
  const alike = zeroMatrix(POINTS.rows, 8)
  for (let row = 0; row < alike.rows; row++) rowOf(alike, row)[0] = 1
  assert.equal(carryFrame(alike, then, SAME), null)
  const onePlace = { ...then, positions: new Float32Array(then.positions.length) }
  assert.equal(carryFrame(POINTS, onePlace, SAME), null)
  const onALine = { ...then, positions: then.positions.map((value, at) => (at % 2 === 0 ? value : 0)) }
  assert.equal(carryFrame(POINTS, onALine, SAME), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRandom } from '../partition/seeded-random.ts'
import { dot } from '../identity/cosines.ts'
import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { decodeBasis } from './basis-codec.ts'
import { decodeFrame, encodeFrame } from './frame-codec.ts'
import { decodeVector, encodeVector } from './vector-codec.ts'
import { columnsOf, fitFrame, framedRows, type VectorFrame } from './vector-frame.ts'

const SOURCE = '0123456789abcdef'.repeat(2)
const TOPICS = 4

/** Unit vectors of alternating topics, all near one direction, as vectors of models are. */
function vectorsOf(count: number, dimension: number): Float32Array[] {
  const random = createRandom(3)
  return Array.from({ length: count }, (_, index) => {
    const vector = Float32Array.from({ length: dimension }, () => 2 + 0.5 * (random() - 0.5))
    for (let at = index % TOPICS; at < dimension; at += TOPICS) vector[at]! += 1
    normaliseRow(vector)
    return vector
  })
}

const fit = (vectors: readonly Float32Array[]) => fitFrame(SOURCE, vectors.length, vectors, createRandom(1))

function embed(frame: VectorFrame, vectors: readonly (Float32Array | null)[]): Matrix {
  const points = zeroMatrix(vectors.length, columnsOf(frame))
  const write = framedRows(frame)
  vectors.forEach((vector, row) => write(vector, rowOf(points, row)))
  return points
}

const cosine = (points: Matrix, a: number, b: number) => dot(rowOf(points, a), rowOf(points, b))

test('centred on their mean, vectors of one topic are near one another and those of others are not', () => {
  for (const [count, dimension, columns] of [
    [60, 40, 41],
    [60, 400, 401],
    [1000, 257, 129],
  ] as const) {
    const vectors = vectorsOf(count, dimension)
    assert.ok(dot(vectors[0]!, vectors[1]!) > 0.9)
    const frame = fit(vectors)
    const points = embed(frame, vectors)
    assert.equal(points.columns, columns)
    for (let row = 0; row < 20; row++) {
      assert.ok(Math.abs(cosine(points, row, row) - 1) < 1e-5)
      assert.ok(cosine(points, row, row + TOPICS) > 0.5, `${dimension}: ${cosine(points, row, row + TOPICS)}`)
      assert.ok(cosine(points, row, row + 1) < 0.1, `${dimension}: ${cosine(points, row, row + 1)}`)
    }
  }
})

test('empty texts and identical vectors are alike and unlike all others', () => {
  const vectors = vectorsOf(20, 30)
  const points = embed(fit(vectors), [null, null, ...vectors])
  assert.deepEqual([cosine(points, 0, 1), cosine(points, 0, 2)], [1, 0])
  const [one] = vectors as [Float32Array]
  const same = Array.from({ length: 1000 }, () => Float32Array.from({ length: 300 }, (_, at) => one[at % 30]!))
  for (const sample of [same.slice(0, 20), same]) {
    const alike = embed(fit(sample), sample.slice(0, 2))
    assert.equal(cosine(alike, 0, 1), 1)
  }
  const nothing = fit([])
  assert.deepEqual([nothing.dimension, columnsOf(nothing)], [0, 1])
  assert.deepEqual([...embed(nothing, [null]).values], [1])
})

test('a stored frame is read back unchanged, and distinguished from a built-in basis', () => {
  for (const frame of [fit(vectorsOf(30, 8)), fit(vectorsOf(1000, 260)), fit([])]) {
    const bytes = encodeFrame(frame)
    assert.deepEqual(decodeFrame(bytes), frame)
    assert.equal(decodeBasis(bytes), null)
    assert.throws(() => decodeFrame(bytes.slice(0, -1)))
    assert.throws(() => decodeFrame(Uint8Array.of(...bytes, 0)))
  }
  assert.equal(decodeFrame(Buffer.from('SPE1')), null)
})

test('a vector is read back with nearly the same direction', () => {
  const numbers = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(numbers, (values) => {
      const vector = Float32Array.from(values)
      normaliseRow(vector)
      const stored = encodeVector(vector)
      assert.equal(stored.length, 4 + vector.length)
      // At an odd offset, as a database may return it.
      const bytes = new Uint8Array(stored.length + 1)
      bytes.set(stored, 1)
      const read = decodeVector(bytes.subarray(1))
      const length = Math.hypot(...read)
      if (dot(vector, vector) > 0) assert.ok(dot(vector, read) / length > 0.995)
    }),
  )
})

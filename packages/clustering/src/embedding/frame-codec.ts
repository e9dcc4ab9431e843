import { STORED_MAGIC } from '../text/stored-magic.ts'
import type { VectorFrame } from './vector-frame.ts'

/**
 * The stored form of a frame. Numbers are least significant byte first.
 *
 *     0 – 3     SPV1; another layout gets another digit
 *     4 – 35    the source, 32 hex digits
 *     then      uint32 numbers in a vector, uint32 traces in the sample, uint16 directions, 0 for whole vectors
 *     then      float32 mean, float32 directions: `rank` for each number of a vector
 */
export function encodeFrame({ source, dimension, sampleSize, mean, directions }: VectorFrame): Uint8Array {
  const numbers = [...mean, ...(directions?.values ?? [])]
  const bytes = Buffer.alloc(HEAD_BYTES + 4 * numbers.length)
  let at = bytes.write(STORED_MAGIC.endpoint + source, 'latin1')
  at = bytes.writeUInt32LE(dimension, at)
  at = bytes.writeUInt32LE(sampleSize, at)
  at = bytes.writeUInt16LE(directions?.rank ?? 0, at)
  for (const number of numbers) at = bytes.writeFloatLE(number, at)
  return bytes
}

/** Returns null when the bytes are of the built-in embedding. Throws when `encodeFrame` did not write them. */
export function decodeFrame(stored: Uint8Array): VectorFrame | null {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const magic = bytes.toString('latin1', 0, MAGIC_BYTES)
  if (magic === STORED_MAGIC.builtin || magic === STORED_MAGIC.olderBuiltin) return null
  if (magic !== STORED_MAGIC.endpoint || bytes.length < HEAD_BYTES) throw new Error('the bytes are no frame of vectors')
  const source = bytes.toString('latin1', MAGIC_BYTES, MAGIC_BYTES + SOURCE_LENGTH)
  const dimension = bytes.readUInt32LE(MAGIC_BYTES + SOURCE_LENGTH)
  const sampleSize = bytes.readUInt32LE(MAGIC_BYTES + SOURCE_LENGTH + 4)
  const rank = bytes.readUInt16LE(MAGIC_BYTES + SOURCE_LENGTH + 8)
  if (bytes.length !== HEAD_BYTES + 4 * dimension * (1 + rank)) throw new Error('a frame of vectors has another length')
  const read = (from: number, count: number) =>
    Float32Array.from({ length: count }, (_, index) => bytes.readFloatLE(HEAD_BYTES + 4 * (from + index)))
  const directions = rank === 0 ? null : { rank, values: read(dimension, dimension * rank) }
  return { source, dimension, sampleSize, mean: read(0, dimension), directions }
}

const MAGIC_BYTES = 4
const SOURCE_LENGTH = 32
const HEAD_BYTES = MAGIC_BYTES + SOURCE_LENGTH + 10

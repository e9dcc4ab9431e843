import { EMBEDDER_VERSION, type Basis, type BasisFeatures } from './basis.ts'
import { FEATURE_KINDS } from '../text/features.ts'
import { STORED_MAGIC } from '../text/stored-magic.ts'

/**
 * The stored form of a basis. Numbers are least significant byte first.
 *
 *     0 – 3    SPE2; another layout gets another digit
 *     4        length of the embedder's version, then its ASCII characters
 *     then     uint32 traces in the sample, uint16 rank, float32 share of unknown words
 *     then for words, grams, steps in this order
 *       uint32   how many features
 *       each     uint16 bucket, float32 idf, float32 scale, then `rank` int8 loadings
 */
export function encodeBasis(basis: Basis): Uint8Array {
  const version = Buffer.from(basis.embedderVersion, 'latin1')
  const sizes = FEATURE_KINDS.map((kind) => basis.features[kind].buckets.length * (FEATURE_BYTES + basis.rank) + 4)
  const bytes = Buffer.alloc(MAGIC.length + 1 + version.length + 10 + sizes.reduce((sum, size) => sum + size, 0))
  let at = bytes.write(MAGIC, 'latin1')
  at = bytes.writeUInt8(version.length, at)
  at += version.copy(bytes, at)
  at = bytes.writeUInt32LE(basis.sampleSize, at)
  at = bytes.writeUInt16LE(basis.rank, at)
  at = bytes.writeFloatLE(basis.unknownWords, at)
  for (const kind of FEATURE_KINDS) at = writePart(bytes, at, basis.features[kind], basis.rank)
  return bytes
}

/**
 * Returns null when the bytes are of another version of the embedder, of an older layout, or of an endpoint; the basis
 * is then fitted again. Throws when `encodeBasis` did not write them.
 */
export function decodeBasis(stored: Uint8Array): Basis | null {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
  const magic = bytes.toString('latin1', 0, MAGIC.length)
  if (OTHERS.has(magic)) return null
  if (magic !== MAGIC) throw new Error('the bytes are no basis')
  let at = MAGIC.length + 1 + bytes.readUInt8(MAGIC.length)
  const embedderVersion = bytes.toString('latin1', MAGIC.length + 1, at)
  if (embedderVersion !== EMBEDDER_VERSION) return null
  const sampleSize = bytes.readUInt32LE(at)
  const rank = bytes.readUInt16LE(at + 4)
  const unknownWords = bytes.readFloatLE(at + 6)
  at += 10
  const next = (): BasisFeatures => {
    const part = readPart(bytes, at, rank)
    at += 4 + part.buckets.length * (FEATURE_BYTES + rank)
    return part
  }
  const [words, grams, steps] = [next(), next(), next()]
  if (at !== bytes.length) throw new Error('a basis is followed by more bytes')
  return { embedderVersion, sampleSize, rank, unknownWords, features: { words, grams, steps } }
}

const MAGIC = STORED_MAGIC.builtin
const OTHERS: ReadonlySet<string> = new Set([STORED_MAGIC.olderBuiltin, STORED_MAGIC.endpoint])
/** Bucket, idf and scale. */
const FEATURE_BYTES = 10

function writePart(bytes: Buffer, start: number, part: BasisFeatures, rank: number): number {
  let at = bytes.writeUInt32LE(part.buckets.length, start)
  part.buckets.forEach((bucket, index) => {
    at = bytes.writeUInt16LE(bucket, at)
    at = bytes.writeFloatLE(part.weights[index]!, at)
    at = bytes.writeFloatLE(part.scales[index]!, at)
    bytes.set(new Uint8Array(part.loadings.buffer, part.loadings.byteOffset + index * rank, rank), at)
    at += rank
  })
  return at
}

function readPart(bytes: Buffer, start: number, rank: number): BasisFeatures {
  const count = bytes.readUInt32LE(start)
  if (start + 4 + count * (FEATURE_BYTES + rank) > bytes.length) throw new Error('a basis is cut off')
  const buckets = new Uint16Array(count)
  const weights = new Float32Array(count)
  const scales = new Float32Array(count)
  const loadings = new Int8Array(count * rank)
  let at = start + 4
  for (let index = 0; index < count; index++) {
    buckets[index] = bytes.readUInt16LE(at)
    weights[index] = bytes.readFloatLE(at + 2)
    scales[index] = bytes.readFloatLE(at + 6)
    loadings.set(new Int8Array(bytes.buffer, bytes.byteOffset + at + FEATURE_BYTES, rank), index * rank)
    at += FEATURE_BYTES + rank
  }
  return { buckets, weights, scales, loadings }
}

import { FEATURE_KINDS, type FeatureCounts, type Features } from './features.ts'

/**
 * The stored form of a trace's features, about three bytes for each of them, two for n-grams of a long text:
 *
 *     byte 0   version, 1
 *     then for words, grams, steps in this order
 *       varint   how many features
 *       each     varint  2 × (bucket - bucket before, the first from -1; less 1) + (count > 1 ? 1 : 0)
 *                varint  count - 2, only where the count is above 1
 *
 * Varints are unsigned LEB128. Nothing follows. The same features give the same bytes.
 */
export function encodeFeatures(features: Features): Uint8Array {
  const bytes = [FEATURES_VERSION]
  for (const kind of FEATURE_KINDS) {
    const { buckets, counts } = features[kind]
    pushVarint(bytes, buckets.length)
    let before = -1
    buckets.forEach((bucket, index) => {
      const count = counts[index]!
      pushVarint(bytes, 2 * (bucket - before - 1) + (count > 1 ? 1 : 0))
      if (count > 1) pushVarint(bytes, count - 2)
      before = bucket
    })
  }
  return Uint8Array.from(bytes)
}

/** Features of another version are computed again from the trace. */
const FEATURES_VERSION = 1

/** Returns null when the bytes are of another version. Throws when `encodeFeatures` did not write them. */
export function decodeFeatures(bytes: Uint8Array): Features | null {
  if (bytes[0] !== FEATURES_VERSION) return null
  const reader = { bytes, at: 1 }
  const features = { words: readCounts(reader), grams: readCounts(reader), steps: readCounts(reader) }
  if (reader.at !== bytes.length) throw new Error('features of a trace are followed by more bytes')
  return features
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
}

function readCounts(reader: Reader): FeatureCounts {
  const length = readVarint(reader)
  if (length > reader.bytes.length) throw new Error('features of a trace are cut off')
  const buckets = new Uint16Array(length)
  const counts = new Uint16Array(length)
  let before = -1
  for (let index = 0; index < length; index++) {
    const head = readVarint(reader)
    before += 1 + (head >>> 1)
    buckets[index] = before
    counts[index] = head % 2 === 0 ? 1 : readVarint(reader) + 2
  }
  return { buckets, counts }
}

function pushVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
}

function readVarint(reader: Reader): number {
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) throw new Error('features of a trace are cut off')
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return value
  }
  throw new Error('features of a trace contain a number that is too long')
}

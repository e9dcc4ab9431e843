import { cutWords } from './cut-words.ts'
import type { TraceText } from './trace-text.ts'

/** Counts of the features of one kind in a trace. */
export interface FeatureCounts {
  /** Hashes of the features, from 0 to FEATURE_BUCKETS - 1, ascending, without duplicates. */
  readonly buckets: Uint16Array
  /** Counts from 1; more than 65,535 are stored as 65,535. */
  readonly counts: Uint16Array
}

/** The features of a trace without its text: counts of hashes by kind. Each kind has its own range of hashes. */
export type Features = Readonly<Record<FeatureKind, FeatureCounts>>

/** Words and character n-grams of the user's request, and the names of the steps. */
export const FEATURE_KINDS = ['words', 'grams', 'steps'] as const
export type FeatureKind = (typeof FEATURE_KINDS)[number]

export const FEATURE_BUCKETS = 2 ** 16

export function featuresOf(text: TraceText): Features {
  const words: number[] = []
  const grams: number[] = []
  const steps: number[] = []
  for (const message of text.asked) {
    const cut = cutWords(message)
    for (const word of cut.words) words.push(bucketOf(word))
    for (const run of cut.runs) pushGrams(run, grams)
  }
  for (const term of text.done) {
    const { words: parts } = cutWords(term)
    if (parts.length > 1) steps.push(bucketOf(parts.join(' ')))
    for (const part of parts) steps.push(bucketOf(part))
  }
  return { words: countBuckets(words), grams: countBuckets(grams), steps: countBuckets(steps) }
}

function bucketOf(term: string): number {
  let hash = HASH_START
  for (let index = 0; index < term.length; index++) hash = hashOn(hash, term.charCodeAt(index))
  return toBucket(hash)
}

/** N-grams of a run with a space at both ends, so that beginnings and ends of words are features of their own. */
function pushGrams(run: string, grams: number[]): void {
  const length = run.length + 2
  for (let start = 0; start + SHORTEST_GRAM <= length; start++) {
    let hash = HASH_START
    const end = Math.min(length, start + LONGEST_GRAM)
    for (let index = start; index < end; index++) {
      hash = hashOn(hash, index === 0 || index === length - 1 ? SPACE : run.charCodeAt(index - 1))
      if (index - start + 1 >= SHORTEST_GRAM) grams.push(toBucket(hash))
    }
  }
}

/**
 * Counts in a table and reads it in order, by one bit for each bucket: a trace has thousands of n-grams, and sorting
 * them takes five times as long.
 */
function countBuckets(all: readonly number[]): FeatureCounts {
  let found = 0
  for (const bucket of all) {
    const count = COUNTED[bucket]!
    if (count === 0) {
      FOUND[bucket >>> 5]! |= 1 << (bucket & 31)
      found++
    }
    if (count < GREATEST_COUNT) COUNTED[bucket] = count + 1
  }
  const [buckets, counts] = [new Uint16Array(found), new Uint16Array(found)]
  for (let word = 0, at = 0; at < found; word++) {
    for (let bits = FOUND[word]!; bits !== 0; bits &= bits - 1) {
      const bucket = (word << 5) | (31 - Math.clz32(bits & -bits))
      buckets[at] = bucket
      counts[at++] = COUNTED[bucket]!
      COUNTED[bucket] = 0
    }
    FOUND[word] = 0
  }
  return { buckets, counts }
}

const SHORTEST_GRAM = 3
const LONGEST_GRAM = 5
const SPACE = 0x20
const GREATEST_COUNT = 65_535

/** The count of each bucket, and a bit for each one that has a count; all 0 between two calls. */
const COUNTED = new Uint16Array(FEATURE_BUCKETS)
const FOUND = new Int32Array(FEATURE_BUCKETS / 32)

/** FNV-1a over UTF-16 code units. */
const HASH_START = 0x811c9dc5
const hashOn = (hash: number, codeUnit: number): number => Math.imul(hash ^ codeUnit, 0x01000193)

/** The low bits of the hash mix badly for short terms, so the high half is folded in. */
function toBucket(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 16)) & (FEATURE_BUCKETS - 1)
}

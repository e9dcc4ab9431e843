import type { Basis } from './basis.ts'
import { FEATURE_BUCKETS, type Features } from './features.ts'

/** Of a sample that a basis was fitted on, so many have a share of unknown words above its `unknownWords`. */
const STRANGE_IN_SAMPLE = 0.05
/** With so many in a window it speaks of what the basis does not know: more than twice the 3 % that make a topic, behind those of any window that the sample did not see. */
const STRANGE_IN_WINDOW = 0.08

/** The share of unknown words that all but the strangest of the sample stay at or below. `known` are the buckets of words that count. */
export function unknownWordsOf(sample: readonly Features[], known: Uint16Array): number {
  if (sample.length === 0) return 1
  const shares = Float64Array.from(sample, unknownShareBy(known)).sort()
  // As it comes back from where it is kept.
  return Math.fround(shares[Math.min(shares.length - 1, Math.floor((1 - STRANGE_IN_SAMPLE) * shares.length))]!)
}

/**
 * Whether a window speaks of something that the basis was not fitted on. A topic whose words it does not know has no directions of its own: it would lie wherever its
 * other words happen to be, and be found as a cluster in no run.
 */
export function isUnfamiliar(basis: Basis, window: Iterable<Features>): boolean {
  const shareOf = unknownShareBy(basis.features.words.buckets)
  let strange = 0
  let count = 0
  for (const features of window) {
    count++
    if (shareOf(features) > basis.unknownWords) strange++
  }
  return strange > STRANGE_IN_WINDOW * count
}

/** Of the distinct words of a trace; 0 when it has none. */
function unknownShareBy(known: Uint16Array): (features: Features) => number {
  const isKnown = new Uint8Array(FEATURE_BUCKETS)
  for (const bucket of known) isKnown[bucket] = 1
  return ({ words: { buckets } }) => {
    let unknown = 0
    for (const bucket of buckets) unknown += 1 - isKnown[bucket]!
    return buckets.length === 0 ? 0 : unknown / buckets.length
  }
}

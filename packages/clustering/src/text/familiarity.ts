import { shareDifferenceZ } from '../statistics/two-proportions.ts'
import { tracesWith, type Basis } from '../embedding/basis.ts'
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

/** A word that so many of a window's traces say, as many as make a topic, … */
const RISEN_SHARE = 0.03
const LEAST_RISEN = 5
/**
 * … and that so many times fewer of the sample did, by more standard errors than this, is one that the basis may have no directions for. Both are low: of a topic of eight
 * traces five say its most frequent word, and a fit for nothing costs seconds, no ids and no place on the map.
 */
const RISEN_RATIO = 1.5
const RISEN_Z = 1.5
/** What more say tells few topics apart, and may be unknown for being in too many of the sample's. */
const MOST_SPREAD = 0.2

/**
 * Whether a window speaks of something that the basis was not fitted on. A topic whose words it does not know, or knows from single traces, has no directions of its own: it
 * would lie wherever its other words happen to be, and be found as a cluster in no run.
 */
export function isUnfamiliar(basis: Basis, window: readonly Features[]): boolean {
  const shareOf = unknownShareBy(basis.features.words.buckets)
  const strange = window.filter((features) => shareOf(features) > basis.unknownWords).length
  return strange > STRANGE_IN_WINDOW * window.length || hasRisenWord(basis, window)
}

function hasRisenWord({ sampleSize, features: { words } }: Basis, window: readonly Features[]): boolean {
  const now = new Uint32Array(FEATURE_BUCKETS)
  for (const { words: said } of window) for (const bucket of said.buckets) now[bucket]!++
  // Of the unknown ones at most one trace, see `chooseColumns`.
  const then = new Uint32Array(FEATURE_BUCKETS).fill(1)
  words.buckets.forEach((bucket, index) => (then[bucket] = tracesWith(words.weights[index]!, sampleSize)))
  const least = Math.max(LEAST_RISEN, RISEN_SHARE * window.length)
  return now.some((hits, bucket) => {
    if (hits < least || hits > MOST_SPREAD * window.length) return false
    const before = { hits: then[bucket]!, total: sampleSize }
    const after = { hits, total: window.length }
    const rose = hits / after.total >= RISEN_RATIO * (before.hits / before.total)
    return rose && shareDifferenceZ(before, after) > RISEN_Z
  })
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

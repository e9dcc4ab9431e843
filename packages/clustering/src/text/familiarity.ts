import { shareDifferenceZ } from '../statistics/two-proportions.ts'
import { tracesWith, type Basis } from '../embedding/basis.ts'
import { FEATURE_BUCKETS, type Features } from './features.ts'

/** This share of the sample that a basis was fitted on has more unknown words than its `unknownWords`. */
const STRANGE_IN_SAMPLE = 0.05
/**
 * With this share of such traces, a window is about something the basis does not know. It is more than twice the 3 %
 * that make a topic, because any window outside the sample has some such traces.
 */
const STRANGE_IN_WINDOW = 0.08

/**
 * The share of unknown words that all but the strangest traces of the sample have at most. `known` are the buckets of
 * words that count.
 */
export function unknownWordsOf(sample: readonly Features[], known: Uint16Array): number {
  if (sample.length === 0) return 1
  const shares = Float64Array.from(sample, unknownShareBy(known)).sort()
  return shares[Math.min(shares.length - 1, Math.floor((1 - STRANGE_IN_SAMPLE) * shares.length))]!
}

/** A word counts as risen when this share of a window's traces contains it, as many as make a topic, … */
const RISEN_SHARE = 0.03
const LEAST_RISEN = 5
/**
 * … and when the share is this many times that of the sample, by more standard errors than this. The basis may have no
 * directions for such a word. Both limits are low: of eight traces on a topic five contain its most frequent word, and
 * an unnecessary fit costs seconds, but no ids and no places on the map.
 */
const RISEN_RATIO = 1.5
const RISEN_Z = 1.5
/** More frequent words separate few topics, and may be unknown because too many of the sample's traces contain them. */
const MOST_SPREAD = 0.2

/**
 * Whether a window is about something that the basis was not fitted on. If the basis does not know a topic's words, or
 * knows them from single traces, the topic has no directions of its own: its traces would lie wherever their other
 * words are, and no run would find the cluster.
 */
export function isUnfamiliar(basis: Basis, window: readonly Features[]): boolean {
  const shareOf = unknownShareBy(basis.features.words.buckets)
  const strange = window.filter((features) => shareOf(features) > basis.unknownWords).length
  return strange > STRANGE_IN_WINDOW * window.length || hasRisenWord(basis, window)
}

function hasRisenWord({ sampleSize, features: { words } }: Basis, window: readonly Features[]): boolean {
  const now = new Uint32Array(FEATURE_BUCKETS)
  for (const { words: said } of window) for (const bucket of said.buckets) now[bucket]!++
  // Unknown words are in at most one trace of the sample, see `chooseColumns`.
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

/** Share of the distinct words of a trace; 0 when it has none. */
function unknownShareBy(known: Uint16Array): (features: Features) => number {
  const isKnown = new Uint8Array(FEATURE_BUCKETS)
  for (const bucket of known) isKnown[bucket] = 1
  return ({ words: { buckets } }) => {
    let unknown = 0
    for (const bucket of buckets) unknown += 1 - isKnown[bucket]!
    return buckets.length === 0 ? 0 : unknown / buckets.length
  }
}

import type { TraceText } from '../text/trace-text.ts'
import { countWriting, type Writing } from './count-writing.ts'

/** Whether a word, in lower case, may be a person's name. */
export type IsPersonal = (word: string) => boolean

/**
 * A product or a place that a cluster is about is in many of its traces, a person in few. But a small cluster may
 * consist of one person's traces.
 */
const LEAST_TRACES = 20
const LEAST_SHARE = 0.3

/**
 * Finds words that may be names of persons, in the texts of all clusters together:
 * - words that introduce somebody ("my name is", "I'm", a title) more often than they occur otherwise;
 * - words capitalised in mid-sentence more often than not, unless a large share of a cluster's traces contains them,
 *   nobody is introduced by them, and they are in no e-mail address and no user id (`mia_li_3668`).
 *
 * Not found: names in small letters that are not introduced, and names in scripts without capitals.
 */
export function findPersonalWords(clusters: readonly (readonly TraceText[])[]): IsPersonal {
  const writing: Writing = { capital: new Map(), small: new Map(), introduced: new Map(), addressed: new Set() }
  const spread = new Set<string>()
  for (const texts of clusters) {
    const traces = new Map<string, number>()
    for (const { asked } of texts) {
      const words = new Set(asked.flatMap((text) => countWriting(text, writing)))
      for (const word of words) traces.set(word, (traces.get(word) ?? 0) + 1)
    }
    const least = Math.max(LEAST_TRACES, LEAST_SHARE * texts.length)
    for (const [word, count] of traces) if (count >= least) spread.add(word)
  }
  return (word) => {
    const [capital, small, introduced] = [writing.capital, writing.small, writing.introduced].map(
      (counts) => counts.get(word) ?? 0,
    ) as [number, number, number]
    const isKnown = introduced > 0 || writing.addressed.has(word)
    return introduced > small || (capital > small && (isKnown || !spread.has(word)))
  }
}

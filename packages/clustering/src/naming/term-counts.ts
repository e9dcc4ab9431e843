import { stemWord } from '../text/stem-word.ts'
import { isUnspaced, type ReadableWord } from './readable-words.ts'

/** A word, or two consecutive ones, of one stem. */
export interface Term {
  readonly stems: readonly string[]
  /**
   * Number of texts of each cluster that contain it. Repetitions do not count, so that one text cannot push a word into
   * a name.
   */
  readonly texts: Uint32Array
  /** The same, with later mentions counted in part. */
  readonly weights: Float64Array
  /** Its written forms, and how often each occurs. */
  readonly forms: Map<string, number>
}

/** Counts words and pairs of words of texts by cluster. */
export class TermCounts {
  readonly textsOfCluster: Uint32Array
  readonly terms = new Map<string, Term>()
  readonly #k: number

  constructor(k: number) {
    this.#k = k
    this.textsOfCluster = new Uint32Array(k)
  }

  /** Adds one text, as the words of its parts: the first part with any words has the most weight. */
  add(cluster: number, parts: readonly (readonly ReadableWord[])[]): void {
    this.textsOfCluster[cluster]!++
    const seen = new Set<string>()
    parts
      .filter((words) => words.length > 0)
      .forEach((words, part) => this.#addPart(cluster, words, part === 0 ? 1 : LATER, seen))
  }

  #addPart(cluster: number, words: readonly ReadableWord[], weight: number, seen: Set<string>): void {
    words.forEach((word, index) => {
      if (word === null) return
      const stem = stemWord(word)
      this.#count(cluster, [stem], word, weight, seen)
      const next = words[index + 1]
      if (next === undefined || next === null) return
      const nextStem = stemWord(next)
      if (nextStem !== stem) this.#count(cluster, [stem, nextStem], joined(word, next), weight, seen)
    })
  }

  #count(cluster: number, stems: readonly string[], form: string, weight: number, seen: Set<string>): void {
    const key = stems.join(' ')
    let term = this.terms.get(key)
    if (term === undefined) {
      term = { stems, texts: new Uint32Array(this.#k), weights: new Float64Array(this.#k), forms: new Map() }
      this.terms.set(key, term)
    }
    term.forms.set(form, (term.forms.get(form) ?? 0) + 1)
    if (seen.has(key)) return
    seen.add(key)
    term.texts[cluster]!++
    term.weights[cluster]! += weight
  }
}

/**
 * The first message names a task. Later texts (double check, I understand) occur in most tasks; they count this much
 * unless they are in the first message too.
 */
const LATER = 0.5

function joined(first: string, second: string): string {
  return isUnspaced(first) && isUnspaced(second) ? first + second : `${first} ${second}`
}

/** The most frequent form; of equally frequent ones the first in alphabetical order. */
export function usualForm({ forms }: Term): string {
  let usual = ''
  let most = 0
  for (const [form, count] of forms) {
    if (count < most || (count === most && form >= usual)) continue
    usual = form
    most = count
  }
  return usual
}

import { stemWord } from '../text/stem-word.ts'
import { isUnspaced, type ReadableWord } from './readable-words.ts'

/** A word, or two in a row, of one stem. */
export interface Term {
  readonly stems: readonly string[]
  /** Texts of each cluster it is in: not how often, so that no single text can shout a word into a name. */
  readonly texts: Uint32Array
  /** The same, those that come to it later counted in part. */
  readonly weights: Float64Array
  /** How it is written, and how often. */
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

  /** One text, as the words of its parts: the first with any weighs most. */
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

/** What someone came with names a task; what was said on the way (double check, I understand) is said in most tasks, and counts for this much where it was not said first. */
const LATER = 0.5

function joined(first: string, second: string): string {
  return isUnspaced(first) && isUnspaced(second) ? first + second : `${first} ${second}`
}

/** The form it has most often, of equally frequent ones the first in the alphabet. */
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

import { usualForm, type Term, type TermCounts } from './term-counts.ts'

export interface RankedTerm {
  readonly text: string
  readonly stems: readonly string[]
  readonly score: number
}

/**
 * The terms that distinguish a cluster, best first: the share of its texts with the term (later mentions count in
 * part), times the logarithm of how many times as frequent it is as in the other clusters, each weighted equally. A
 * term must be in several of its texts and more frequent than in the others: in a project that is all about flights,
 * "flight" names nothing.
 */
export function rankTerms({ terms, textsOfCluster }: TermCounts, cluster: number): readonly RankedTerm[] {
  const texts = textsOfCluster[cluster]!
  const least = Math.min(texts, LEAST_TEXTS)
  const ranked: RankedTerm[] = []
  for (const term of terms.values()) {
    if (term.texts[cluster] === 0 || term.texts[cluster]! < least) continue
    const share = term.weights[cluster]! / texts
    const [all, clusters] = sumOfShares(term, textsOfCluster)
    const others = clusters > 1 ? (all - share) / (clusters - 1) : 0
    if (share < others) continue
    const score = share * Math.log((share + UNSEEN) / (others + UNSEEN)) * (term.stems.length > 1 ? PHRASE_WEIGHT : 1)
    const text = usualForm(term)
    if (text.length <= LONGEST) ranked.push({ text, stems: term.stems, score })
  }
  return ranked.sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
}

/** A term in one text only names that text. */
const LEAST_TEXTS = 2
/** Added to shares: a word that no other cluster has is not infinitely distinctive. */
const UNSEEN = 0.02
/** Two words say what is done with what, and are rarer than either. */
const PHRASE_WEIGHT = 1.5
const LONGEST = 32

function sumOfShares({ weights }: Term, textsOfCluster: Uint32Array): [sum: number, clusters: number] {
  let sum = 0
  let clusters = 0
  weights.forEach((weight, cluster) => {
    if (textsOfCluster[cluster] === 0) return
    clusters++
    sum += weight / textsOfCluster[cluster]!
  })
  return [sum, clusters]
}

/** The first terms such that no two share a word. */
export function diverse(ranked: readonly RankedTerm[], count: number): readonly RankedTerm[] {
  const chosen: RankedTerm[] = []
  const taken: string[] = []
  for (const term of ranked) {
    if (chosen.length === count) break
    // Parts of words count too: "book" in "booking", "订单" in "取消订单".
    if (term.stems.some((stem) => taken.some((other) => other.includes(stem) || stem.includes(other)))) continue
    chosen.push(term)
    taken.push(...term.stems)
  }
  return chosen
}

import type { TraceText } from '../text/trace-text.ts'
import type { IsPersonal } from './personal-words.ts'
import { diverse, rankTerms, type RankedTerm } from './rank-terms.ts'
import { readableWords, type ReadableWord } from './readable-words.ts'
import { TermCounts } from './term-counts.ts'

/**
 * The name of a cluster: plain text of at most 120 characters, and the words that distinguish it from the others, best
 * first.
 */
export interface ClusterName {
  readonly label: string
  readonly keywords: readonly string[]
}

/** Texts of some of a cluster's traces, and its name in the last run if it had one. */
export interface NamingSample {
  readonly texts: readonly TraceText[]
  readonly previous: Pick<ClusterName, 'label'> | null
}

/** Most texts that name a cluster, of the traces nearest to its centroid: more do not change the name. */
export const MOST_NAMING_TEXTS = 200

/**
 * Names clusters by what distinguishes them: by what users asked, above all in their first message; if those texts have
 * no distinguishing words, by the names of steps; otherwise the label says that there are none. No two names are the
 * same, or have a term in common while there are others. None contains a word that may be a person's name. A cluster
 * that continues keeps its label while it still describes the cluster, so that names do not change with every run.
 *
 * @param formerLabels labels of the last run. Each may only go to the cluster that had it: otherwise a run reports the
 *   same name as new and as gone
 */
export function nameClusters(
  samples: readonly NamingSample[],
  isPersonal: IsPersonal,
  formerLabels: ReadonlySet<string>,
): readonly ClusterName[] {
  const asked = countTerms(samples, ({ asked: texts }) => texts.map((text) => readableWords(text, isPersonal)))
  const done = countTerms(samples, ({ done: terms }) => [terms.flatMap(stepWords)])
  const candidates = samples.map((sample, cluster) => candidateOf(sample, asked, done, cluster))
  const labels = new Set<string>()
  const usedTerms = new Set(candidates.flatMap(({ fixed }) => (fixed === null ? [] : termsOf(fixed))))
  return candidates.map((candidate, cluster) => {
    const isFree = (label: string) =>
      !labels.has(label) && (!formerLabels.has(label) || label === samples[cluster]!.previous?.label)
    const label = distinctLabel(candidate, isFree, usedTerms)
    labels.add(label)
    for (const term of termsOf(label)) usedTerms.add(term)
    return { label, keywords: candidate.terms.map(({ text }) => text) }
  })
}

interface Candidate {
  readonly prefix: string
  readonly terms: readonly RankedTerm[]
  /** A fixed label instead of one made of terms. */
  readonly fixed: string | null
}

function countTerms(
  samples: readonly NamingSample[],
  wordsOf: (text: TraceText) => readonly (readonly ReadableWord[])[],
): TermCounts {
  const counts = new TermCounts(samples.length)
  samples.forEach(({ texts }, cluster) => {
    for (const text of texts.slice(0, MOST_NAMING_TEXTS)) counts.add(cluster, wordsOf(text))
  })
  return counts
}

function candidateOf(sample: NamingSample, asked: TermCounts, done: TermCounts, cluster: number): Candidate {
  const ranked = rankTerms(asked, cluster)
  if (ranked.length > 0) {
    return { prefix: '', terms: diverse(ranked, KEYWORDS), fixed: keptLabel(sample.previous, ranked) }
  }
  const telling = rankTerms(done, cluster).filter(({ score }) => score > 0)
  const steps = diverse(telling, KEYWORDS)
  if (steps.length > 0) return { prefix: 'steps: ', terms: steps, fixed: null }
  const anyText = sample.texts.some(({ asked: texts }) => texts.some((text) => text.trim() !== ''))
  return { prefix: '', terms: [], fixed: anyText ? 'no words in common' : 'no text' }
}

const KEYWORDS = 8
const LABEL_TERMS = 2
/** The label has a second term when its score is this share of the first one's. */
const SECOND_SCORE = 0.3
const SEPARATOR = ' · '

/** The old label, when all its terms still distinguish the cluster. */
function keptLabel(previous: NamingSample['previous'], ranked: readonly RankedTerm[]): string | null {
  if (previous === null) return null
  const telling = new Set(ranked.map(({ text }) => text))
  return termsOf(previous.label).every((term) => telling.has(term)) ? previous.label : null
}

function termsOf(label: string): readonly string[] {
  return label.split(SEPARATOR)
}

function distinctLabel(
  { prefix, terms: all, fixed }: Candidate,
  isFree: (label: string) => boolean,
  usedTerms: ReadonlySet<string>,
): string {
  const labels: string[] = fixed === null ? [] : [fixed]
  const unused = all.filter(({ text }) => !usedTerms.has(text))
  const terms = unused.length === 0 ? all : unused
  const [first, second] = terms
  const usual =
    first !== undefined && second !== undefined && second.score >= SECOND_SCORE * first.score ? LABEL_TERMS : 1
  for (const count of [usual, LABEL_TERMS, LABEL_TERMS + 1]) {
    const parts = terms.slice(0, count).map(({ text }) => text)
    if (parts.length > 0) labels.push(prefix + parts.join(SEPARATOR))
  }
  const free = labels.find(isFree)
  if (free !== undefined) return free
  for (let number = 2; ; number++) {
    const numbered = `${labels[0]!} (${number})`
    if (isFree(numbered)) return numbered
  }
}

/**
 * Names of steps as words: `searchFlights` and `search_flights` both become "search flights". Types of steps are left
 * out, classes of errors are not.
 */
function stepWords(term: string): readonly ReadableWord[] {
  if (term.startsWith('type:')) return []
  const spaced = term.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replaceAll(/[_:.\-/]+/g, ' ')
  return [...readableWords(spaced, () => false), null]
}

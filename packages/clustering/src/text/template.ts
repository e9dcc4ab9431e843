/**
 * Text that many requests have in common, such as a policy before each question: hashes of runs of five words,
 * ascending.
 */
export type Template = Uint32Array

/** Words of a run. */
const RUN = 5
/** This share of the texts has a run of a template … */
const SHARED = 0.3
/** … and this share of the texts that have its most frequent run: a frequent question is none … */
const OF_MOST = 0.6
/** … of at least so many texts. */
export const TEMPLATE_TEXTS = 20
/** Fewer common words are how people ask, not a template. */
const LEAST_WORDS = 40
/** Less is no request: the text is a form of which the template is the topic. */
const LEAST_OWN = 3
/** Of a template; the most frequent are kept. */
const MOST_RUNS = 4000
/** A template is known if this share of it is. */
const ALIKE = 0.7

/** Empty if the texts have no template. */
export function findTemplate(texts: readonly string[]): Template {
  if (texts.length < TEMPLATE_TEXTS) return new Uint32Array(0)
  const counts = new Map<number, number>()
  for (const text of texts) {
    for (const run of new Set(runsOf(wordsOf(text)))) counts.set(run, (counts.get(run) ?? 0) + 1)
  }
  const most = [...counts.values()].reduce((one, other) => Math.max(one, other), 0)
  const least = Math.max(SHARED * texts.length, OF_MOST * most)
  const shared = [...counts].filter(([, count]) => count > least)
  if (shared.length + RUN - 1 < LEAST_WORDS) return new Uint32Array(0)
  shared.sort(([one, first], [other, second]) => second - first || one - other)
  return Uint32Array.from(shared.slice(0, MOST_RUNS), ([run]) => run).sort()
}

/** The text without the template; unchanged if little of it would be left out, or hardly anything be left. */
export function withoutTemplate(text: string, template: ReadonlySet<number>): string {
  if (template.size === 0) return text
  const words = wordsOf(text)
  const isCommon = new Uint8Array(words.length)
  for (const [start, run] of runsOf(words).entries()) if (template.has(run)) isCommon.fill(1, start, start + RUN)
  const own = words.filter((_, at) => isCommon[at] === 0)
  return own.length < LEAST_OWN || words.length - own.length < LEAST_WORDS ? text : own.join(' ')
}

/** The known template with what is new in the other one; null if little or nothing is, or there is no room for it. */
export function grownTemplate(known: Template, found: Template): Template | null {
  if (known.length === MOST_RUNS) return null
  const before = new Set(known)
  const again = found.filter((run) => before.has(run)).length
  if (again >= ALIKE * found.length) return null
  return Uint32Array.from([...new Set([...known, ...found])].slice(0, MOST_RUNS)).sort()
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\S+/g) ?? []
}

function runsOf(words: readonly string[]): number[] {
  const runs: number[] = []
  for (let start = 0; start + RUN <= words.length; start++) {
    const run = words.slice(start, start + RUN).join(' ')
    runs.push(hashOf(run.toLowerCase()))
  }
  return runs
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

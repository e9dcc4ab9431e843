import type { StepPair } from '@spoor/contract/schemas/traces/trace-comparison'

/** How providers build messages; says nothing about the place of a difference. */
const STRUCTURE = new Set(['content', 'parts', 'text', 'tool_calls', 'function'])
const NAMES: Readonly<Record<string, string>> = { token_usage: 'tokens', cost_usd: 'cost' }

/** The place of a difference: "message 2 › arguments › cabin". */
export function placeWords(path: string): string {
  const [first = '', ...others] = path
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (first !== 'messages') return [NAMES[first] ?? first, ...others].join(' › ')
  const [at, ...within] = others
  // The position of a part says nothing, that of an element of the data does.
  const data = within.findIndex((key) => !STRUCTURE.has(key) && !/^\d+$/.test(key))
  return [`message ${Number(at) + 1}`, ...(data === -1 ? [] : within.slice(data))].join(' › ')
}

export const KIND_WORDS = {
  same: 'same',
  changed: 'changed',
  only_left: 'only left',
  only_right: 'only right',
} as const

/** What first differs in two runs, as a sentence. */
export function divergenceWords(pairs: readonly StepPair[]): string {
  const at = pairs.findIndex(({ kind }) => kind !== 'same')
  const pair = pairs[at]
  if (pair === undefined) return 'Both runs did the same, step by step.'
  const before =
    at === 0
      ? 'They differ at the first step: '
      : `The first ${at === 1 ? 'step is' : `${at} steps are`} the same. Then `
  if (pair.kind === 'only_left') return `${before}only the left run does “${pair.name}”.`
  if (pair.kind === 'only_right') return `${before}only the right run does “${pair.name}”.`
  // Figures may differ between steps that are the same.
  const paths = pair.differences.map(({ path }) => path).filter((path) => !/^\/(token_usage|cost_usd)\b/.test(path))
  const places = [...new Set(paths.map(placeWords))]
  const listed = places.slice(0, 3).join(', ')
  const more = places.length > 3 ? ` and ${places.length - 3} more` : ''
  return `${before}“${pair.name}” differs${listed === '' ? '' : ` in ${listed}${more}`}.`
}

import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'

/**
 * The parameters by which a trace opens at what the list's search found. The trace searches for one text as it stands:
 * the whole query where the snippet has it so, else its first word that was found. Empty without a step that was found.
 */
export function foundIn(snippet: ListedTrace['snippet'], query: string | undefined): { step?: string; q?: string } {
  const [first] = snippet?.ranges ?? []
  if (snippet === null || snippet === undefined || first === undefined) return {}
  const phrase = (query ?? '').replaceAll('*', '').trim()
  const isThere = phrase !== '' && snippet.text.toLowerCase().includes(phrase.toLowerCase())
  return { step: snippet.step_id, q: isThere ? phrase : snippet.text.slice(first[0], first[1]) }
}

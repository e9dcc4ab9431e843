import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { prefixOf, SHORTEST_PREFIX, toQueryWords } from '../rules/search-text.ts'

/**
 * The words of `q` (see `toQueryWords`); null without it. Throws DomainError `full_text_disabled`, and
 * `validation_failed` for a text without a word or with a prefix that is too short, with the pointer.
 */
export function searchWords(text: string | null, fullText: boolean, pointer = '?q'): readonly string[] | null {
  if (text === null) return null
  if (!fullText) throw new DomainError('full_text_disabled', 'Set SPOOR_FULL_TEXT=on to search in text.')
  const words = toQueryWords(text)
  if (words.length === 0) throw invalidText(pointer, 'q holds no word to search for.')
  const short = words.find((word) => [...(prefixOf(word) ?? 'long enough')].length < SHORTEST_PREFIX)
  if (short !== undefined)
    throw invalidText(pointer, `q: ${short} needs at least ${SHORTEST_PREFIX} letters before the *.`)
  return words
}

function invalidText(pointer: string, detail: string): DomainError {
  return invalid({ pointer, code: 'invalid_value', detail })
}

import { DomainError } from '../../lib/domain-error.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import { toSearchWords } from '../intake/search-text.ts'

/**
 * The words of the parameter `q`; null without it. Throws DomainError `full_text_disabled`, and `validation_failed` for
 * a text without a word.
 */
export function searchWords(text: string | null, fullText: boolean): readonly string[] | null {
  if (text === null) return null
  if (!fullText) throw new DomainError('full_text_disabled', 'Set SPOOR_FULL_TEXT=on to search in text.')
  const words = toSearchWords(text)
  if (words.length > 0) return words
  const detail = 'q holds no word to search for.'
  throw invalid({ pointer: '?q', code: 'invalid_value', detail })
}

import { wordTerm } from '../../../traces/intake/terms.ts'
import { texts } from '../engine/literal.ts'

/** Of rows of `steps`: all of these words are in the text. */
export function hasWords(words: readonly string[]): string {
  return `hasAllTokens(text, [${texts(words)}])`
}

/** Of rows of `traces`: all of these words are in the name. */
export function hasNameWords(words: readonly string[]): string {
  return `hasAll(terms, [${texts(words.map(wordTerm))}])`
}

import { wordTerm } from '../../../traces/intake/terms.ts'
import { texts } from '../engine/literal.ts'

/** For rows of `steps`: the text contains all of these words. */
export function hasWords(words: readonly string[]): string {
  return `hasAllTokens(text, [${texts(words)}])`
}

/** For rows of `traces`: the name contains all of these words. */
export function hasNameWords(words: readonly string[]): string {
  return `hasAll(terms, [${texts(words.map(wordTerm))}])`
}

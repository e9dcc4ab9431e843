import { prefixOf } from '../../../traces/rules/search-text.ts'
import { wordTerm } from '../../../traces/rules/terms.ts'
import { text, texts } from '../engine/literal.ts'

/** The expression of the index of `steps`: see `otherWords`. */
const SEARCHED = `concat(lower(text), ' ', words)`

/** For rows of `steps`: the text contains all of these words; see `toQueryWords`. */
export function hasWords(queryWords: readonly string[]): string {
  const { words, prefixes } = parted(queryWords)
  const whole = words.length === 0 ? [] : [`hasAllTokens(${SEARCHED}, [${texts(words)}])`]
  return [...whole, ...prefixes.map(hasWordThatBegins)].join(' AND ')
}

/** For rows of `traces`: the name contains all of these words. */
export function hasNameWords(queryWords: readonly string[]): string {
  const { words, prefixes } = parted(queryWords)
  const whole = words.length === 0 ? [] : [`hasAll(terms, [${texts(words.map(wordTerm))}])`]
  // Words of a name without commas and characters beyond ASCII are parts of it. Of other names no `terms` are read.
  const begun = prefixes.map(
    (prefix) =>
      `match(lower(name), ${text(`${prefix}|[,\\x{80}-\\x{10ffff}]`)}) ` +
      `AND arrayExists(term -> startsWith(term, ${text(wordTerm(prefix))}), terms)`,
  )
  return [...whole, ...begun].join(' AND ')
}

/**
 * For rows of `traces`: the name or one of the steps that meet `stepConditions` contains all of these words. A common
 * word is in a million traces: hashes of their ids take a third of the memory of a read, the ids themselves more than
 * it has. Of as many, two have the same hash once in ten million answers. The index tells the rows that have a common
 * word in a fifth of the time that comparing their projects takes, so it comes first.
 */
export function hasWordsAnywhere(queryWords: readonly string[], stepConditions: readonly string[]): string {
  const steps = `steps PREWHERE ${hasWords(queryWords)} WHERE ${stepConditions.join(' AND ')}`
  return `(${hasNameWords(queryWords)} OR cityHash64(id) IN (SELECT cityHash64(trace_id) FROM ${steps}))`
}

function parted(queryWords: readonly string[]) {
  return {
    words: queryWords.filter((word) => prefixOf(word) === null),
    prefixes: queryWords.map(prefixOf).filter((prefix) => prefix !== null),
  }
}

/**
 * By the dictionary of the index, `LIKE` finds the rows with a token that contains the prefix. The pattern is matched
 * against their texts alone.
 */
function hasWordThatBegins(prefix: string): string {
  const pattern = `(^|[^a-z0-9\\x{80}-\\x{10ffff}])${prefix}`
  return `${SEARCHED} LIKE ${text(`%${prefix}%`)} AND match(${SEARCHED}, ${text(pattern)})`
}

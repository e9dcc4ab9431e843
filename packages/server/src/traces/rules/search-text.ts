import type { PreparedStep } from '../../ports/traces/prepared.ts'

/**
 * Normalises texts and queries for full-text search. The index splits at every ASCII character that is not a letter or
 * a digit, keeps all other bytes inside its tokens, and takes capital letters of ASCII for small ones. So words of
 * texts and queries are lower-cased, brought to Unicode NFC, other punctuation becomes a blank, and each emoji and each
 * character of a script written without blanks becomes a word of its own. A text also has its words without accents,
 * and its numbers without commas between thousands: `cafe` finds `café`, and `café` only that.
 */
export function toSearchText(text: string): string {
  // Lower-casing maps ASCII to ASCII, and most text is ASCII: one test instead of four replacements.
  return NON_ASCII.test(text) ? normalise(text) : text.toLowerCase()
}

/**
 * The words that texts have when they are normalised and not as the index splits them, blank-separated: the index is
 * over the texts as they are, and over these.
 */
export function toOtherWords(texts: readonly string[]): string {
  const tokens = new Set<string>()
  const numbers = new Set<string>()
  for (const text of texts) {
    if (NON_ASCII.test(text)) for (const [token] of text.toWellFormed().matchAll(OTHER_TOKEN)) tokens.add(token)
    for (const number of numbersOf(text)) numbers.add(number)
  }
  if (tokens.size === 0) return [...numbers].join(' ')
  const indexed = new Set([...tokens].map(asIndexed))
  const words = wordsOf(normalise([...tokens].join(' ')))
  const others = new Set([...words, ...words.map(withoutAccents), ...numbers])
  return [...others].filter((word) => word !== '' && !indexed.has(word)).join(' ')
}

/** Numbers with commas between thousands, without these. */
function numbersOf(text: string): string[] {
  return (text.match(THOUSANDS) ?? []).map((number) => number.replaceAll(',', ''))
}

/** Without the accents of Latin, Greek and Cyrillic letters. */
export function withoutAccents(text: string): string {
  if (!NON_ASCII.test(text)) return text
  return text.replace(RUN_OF_MARKS, '$1').normalize('NFD').replace(ACCENTS, '').normalize('NFC')
}

/** The words by which a short text, such as a name, is found. */
export function toFoundWords(text: string): string[] {
  const words = toSearchWords(text)
  return [...new Set([...words, ...words.map(withoutAccents), ...numbersOf(text)])].filter((word) => word !== '')
}

/** As the index has a token: it knows the capital letters of ASCII alone. */
function asIndexed(token: string): string {
  return token.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase())
}

/** All words by which a step with these texts is found. */
export function searchedWords({ texts, otherWords }: Pick<PreparedStep, 'texts' | 'otherWords'>): ReadonlySet<string> {
  return new Set(wordsOf(`${asIndexed(texts.join(' '))} ${otherWords}`))
}

/** The distinct words of a query, split as the index splits; empty when it contains no word. */
export function toSearchWords(query: string): string[] {
  return wordsOf(toSearchText(query))
}

/** A word of a query that stands for all words that begin so. No word contains it. */
const PREFIX_MARK = '*'
/** Letters that a prefix needs: with fewer, too many words of a large store begin with it. */
export const SHORTEST_PREFIX = 3

/**
 * The distinct words of a query, split as the index splits. A word directly before a `*` is a prefix and keeps the `*`:
 * `refun*`.
 */
export function toQueryWords(query: string): string[] {
  return [...new Set(toSearchText(query).match(QUERY_TOKEN))]
}

/** What words that a word of a query matches begin with; null when the word is no prefix. */
export function prefixOf(queryWord: string): string | null {
  return queryWord.endsWith(PREFIX_MARK) ? queryWord.slice(0, -1) : null
}

/** Whether a text with these words has all words of a query. */
export function hasQueryWords(words: ReadonlySet<string>, queryWords: readonly string[]): boolean {
  return queryWords.every((queryWord) => {
    const prefix = prefixOf(queryWord)
    return prefix === null ? words.has(queryWord) : [...words].some((word) => word.startsWith(prefix))
  })
}

/**
 * The distinct words of a result of `toSearchText`, split as the index splits. Do not normalise it twice: that could
 * change it, for a letter whose lower case composes.
 */
function wordsOf(searchText: string): string[] {
  return [...new Set(searchText.match(INDEX_TOKEN))]
}

function normalise(text: string): string {
  return text
    .toWellFormed()
    .replace(RUN_OF_MARKS, '$1')
    .normalize('NFC')
    .toLowerCase()
    .replace(FINAL_SIGMA, 'σ')
    .replace(NEITHER_ASCII_NOR_WORD, ' ')
    .replace(EMOJI, ' $1 ')
    .replace(UNSPACED_CHARACTER, ' $& ')
}

// oxlint-disable-next-line no-control-regex -- the ASCII range begins there
const NON_ASCII = /[^\x00-\x7f]/
const INDEX_TOKEN = /[a-z0-9\u{80}-\u{10ffff}]+/gu
/** With a character beyond ASCII. The look-behind keeps a long run of ASCII from being tried at each of its letters. */
const OTHER_TOKEN = /(?<![a-zA-Z0-9\x80-\uffff])[a-zA-Z0-9]*[\x80-\uffff][a-zA-Z0-9\x80-\uffff]*/g
const QUERY_TOKEN = /[a-z0-9\u{80}-\u{10ffff}]+\*?/gu
/**
 * Maximum run of combining marks (Unicode's stream-safe limit, more than any script needs). Normalising sorts each run
 * in quadratic time: a message of nothing but marks would block the service for minutes.
 */
const RUN_OF_MARKS = /(\p{M}{30})\p{M}+/gu
/** Lower-casing chooses it by neighbouring letters, which a query may lack. */
const FINAL_SIGMA = /ς/g
const ACCENTS = /[\u0300-\u036f]+/g
/** Of at most five groups: more are a list of numbers. */
const THOUSANDS = /(?<![\d.,])\d{1,3}(?:,\d{3}){1,4}(?![\d,])/g
/** Signs such as © are pictures to Unicode, and part of a name to people. */
const NEITHER_ASCII_NOR_WORD =
  // oxlint-disable-next-line no-control-regex -- the ASCII range begins there
  /[©®™‼⁉]|[^\x00-\x7f\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/gu
/** A picture without its variant, or a flag. */
const EMOJI = /(\p{Extended_Pictographic}|\p{Regional_Indicator}{2})\u{fe0f}?/gu
const UNSPACED_CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]\p{M}*/gu

/**
 * Number of the rules in this file. Raise it with every change that makes another text of the same step, or other words
 * of the same query, and add a line to TERM_RULES (terms.ts) for the words of names. Rows of earlier rules are
 * rewritten (storage/clickhouse/search/).
 */
export const TEXT_RULES = 1

/**
 * Text and queries brought into one form for the full-text index. The index cuts at every ASCII character that is no
 * letter or digit and keeps all other bytes inside its tokens, so whatever else separates words is made a blank here,
 * on both sides alike: lower case, Unicode NFC, other punctuation blanked, and each character of a script written
 * without blanks a word of its own.
 */
export function toSearchText(parts: readonly string[]): string {
  const text = parts.join(' ')
  // Lower-casing keeps ASCII inside ASCII, and most text is: one test instead of four replacements.
  return NON_ASCII.test(text) ? normalise(text) : text.toLowerCase()
}

/** The distinct words of a query, cut as the index cuts; empty when it holds no word at all. */
export function toSearchWords(query: string): string[] {
  return wordsOf(toSearchText([query]))
}

/**
 * The distinct words of what `toSearchText` has made, as the index cuts it. Bringing it into that form again could
 * change it: a letter whose lower case composes.
 */
export function wordsOf(searchText: string): string[] {
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
    .replace(UNSPACED_CHARACTER, ' $& ')
}

// oxlint-disable-next-line no-control-regex -- the ASCII range begins there
const NON_ASCII = /[^\x00-\x7f]/
const INDEX_TOKEN = /[a-z0-9\u{80}-\u{10ffff}]+/gu
/**
 * More combining marks than any writing stacks on one letter (Unicode's stream-safe limit). Normalising sorts each run
 * of marks in quadratic time: a message of nothing else would hold the service for minutes.
 */
const RUN_OF_MARKS = /(\p{M}{30})\p{M}+/gu
/** Lower-casing chooses it by the letter's neighbours, which a query may not have. */
const FINAL_SIGMA = /ς/g
// oxlint-disable-next-line no-control-regex -- the ASCII range begins there
const NEITHER_ASCII_NOR_WORD = /[^\x00-\x7f\p{L}\p{M}\p{N}]/gu
const UNSPACED_CHARACTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]\p{M}*/gu

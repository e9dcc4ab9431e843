import { stemWord } from './stem-word.ts'

export interface CutText {
  /** Stemmed words; for scripts written without spaces, each pair of neighbouring characters and each Han character. */
  readonly words: readonly string[]
  /** Source of the character n-grams: words before stemming; for scripts written without spaces, whole runs. */
  readonly runs: readonly string[]
}

/**
 * Cuts a text into words as Unicode defines them: runs of letters, marks and numbers, in lower case and compatibility
 * form (NFKC). Each run of digits becomes `0`. No dictionary and no locale is used, so the same text gives the same
 * words on every machine. Single ASCII letters are left out ("I", "a", the rest of "don't").
 */
export function cutWords(text: string): CutText {
  const words: string[] = []
  const runs: string[] = []
  for (const found of foldedWords(text)) {
    if (!UNSPACED.test(found)) {
      const word = found.slice(0, WORD_LENGTH)
      if (SINGLE_LETTER.test(word)) continue
      words.push(stemWord(word))
      runs.push(word)
      continue
    }
    for (const [run] of found.matchAll(RUN_OF_ONE_KIND)) {
      runs.push(run)
      if (UNSPACED.test(run)) pushPairs(run, words)
      else words.push(stemWord(run.slice(0, WORD_LENGTH)))
    }
  }
  return { words, runs }
}

function foldedWords(text: string): readonly string[] {
  if (!NON_ASCII.test(text)) return text.toLowerCase().replace(ASCII_DIGITS, '0').match(ASCII_WORD) ?? []
  const normal = text.replace(RUN_OF_MARKS, '$1').normalize('NFKC').toLowerCase()
  return normal.replace(DIGITS, '0').match(WORD) ?? []
}

function pushPairs(run: string, words: string[]): void {
  if (run.length === 1) words.push(run)
  else words.push(...(run.match(HAN) ?? []))
  for (let index = 0; index + 1 < run.length; index++) words.push(run.slice(index, index + 2))
}

/** Characters of a word that count: anything longer is encoded bytes rather than a word. */
const WORD_LENGTH = 32
const SINGLE_LETTER = /^[a-z]$/
// oxlint-disable-next-line no-control-regex -- the ASCII range begins there
const NON_ASCII = /[^\x00-\x7f]/
const ASCII_DIGITS = /[0-9]+/g
const ASCII_WORD = /[a-z0-9]+/g
/**
 * Normalising sorts each run of combining marks in quadratic time. No script stacks more than this on one letter
 * (Unicode's stream-safe limit).
 */
const RUN_OF_MARKS = /(\p{M}{30})\p{M}+/gu
const DIGITS = /\p{Nd}+/gu
const WORD = /[\p{L}\p{M}\p{N}]+/gu
const UNSPACED_SCRIPTS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}ー'
const HAN = /\p{Script=Han}/gu
const UNSPACED = new RegExp(`[${UNSPACED_SCRIPTS}]`, 'u')
const RUN_OF_ONE_KIND = new RegExp(`[${UNSPACED_SCRIPTS}][${UNSPACED_SCRIPTS}\\p{M}]*|[^${UNSPACED_SCRIPTS}]+`, 'gu')

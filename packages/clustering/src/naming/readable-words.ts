import type { IsPersonal } from './personal-words.ts'
import { STOP_WORDS } from './stop-words.ts'

/** A word that a name may contain; null marks the end of a phrase. */
export type ReadableWord = string | null

/**
 * The words of a text that a name can be made of, in lower case and in order. A null stands where no phrase may
 * continue: at punctuation, and where something that is no word was left out. Left out are stop words (a phrase may
 * continue across two of them: "change my flight" becomes "change flight") and what identifies single traces: anything
 * with digits, mail and web addresses, paths, hashes, codes, and words that may be names of persons. The result has
 * letters and their marks alone, so a name contains nothing that controls a terminal.
 */
export function readableWords(text: string, isPersonal: IsPersonal): readonly ReadableWord[] {
  const words: ReadableWord[] = []
  let skipped = 0
  const end = (): void => {
    if (words.length > 0 && words.at(-1) !== null) words.push(null)
    skipped = 0
  }
  const clean = text.slice(0, MOST_CHARACTERS).replace(RUN_OF_MARKS, '$1').normalize('NFKC').replace(INVISIBLE, '')
  const shouted = !SMALL_LETTER.test(clean)
  for (const [chunk] of clean.matchAll(CHUNK)) {
    if (words.length >= MOST_WORDS) break
    if (NO_PROSE.test(chunk) || chunk.length > LONGEST_CHUNK || isCode(chunk, shouted)) {
      end()
      continue
    }
    for (const [part] of chunk.toLowerCase().matchAll(PART)) {
      if (!LETTERS.test(part)) {
        if (!JOINER.test(part)) end()
        continue
      }
      for (const word of cut(part)) {
        if (STOP_WORDS.has(word) || isFragment(word)) {
          if (++skipped > REACH) end()
        } else if (isWord(word) && !isPersonal(word)) {
          words.push(word)
          skipped = 0
        } else end()
      }
    }
  }
  return words
}

/** Enough to know what a trace is about. */
const MOST_CHARACTERS = 4000
const MOST_WORDS = 300
/** Most consecutive stop words that a phrase continues across. */
const REACH = 2
const LONGEST_CHUNK = 60
const LONGEST_WORD = 24

const CHUNK = /\S+/g
/**
 * Control and format characters (marks of direction and joiners among them), private and unassigned ones, halves of
 * surrogate pairs. Line ends and tabs stay, because CHUNK takes them as spaces.
 */
const INVISIBLE = /[^\P{C}\t\n\r]/gu
const RUN_OF_MARKS = /(\p{M}{2})\p{M}+/gu
/** Numbers and dates, mail, web, paths, names of variables. */
const NO_PROSE = /\p{N}|@|:\/\/|\\|_|\/.*\/|^\/|^www[.]|^\p{L}+[.]\p{L}+/u
const PART = /[\p{L}\p{M}]+|[^\p{L}\p{M}]+/gu
const LETTERS = /\p{L}/u
/** Between parts of one word or phrase. */
const JOINER = /^[-'’‘]$/

/**
 * Codes of letters alone: capitals and small letters mixed as in a token, or capitals alone as in a booking number,
 * unless the whole text is in capitals.
 */
function isCode(chunk: string, shouted: boolean): boolean {
  return (chunk.match(/\p{Ll}\p{Lu}/gu)?.length ?? 0) >= 2 || (!shouted && CAPITALS.test(chunk))
}

const SMALL_LETTER = /\p{Ll}/u
const CAPITALS = /\p{Lu}{5}/u

/**
 * The rest of a word after an apostrophe: "don't", "l'avion". In scripts without spaces a single character may be a
 * word.
 */
function isFragment(word: string): boolean {
  return word.length < 2 && !UNSPACED.test(word)
}

function isWord(word: string): boolean {
  return word.length <= LONGEST_WORD && !HEXADECIMAL.test(word) && !UNPRONOUNCEABLE.test(word) && !REPEATED.test(word)
}

const HEXADECIMAL = /^[a-f]{6,}$/
const UNPRONOUNCEABLE = /^[b-df-hj-np-tv-xz]{5,}$/
const REPEATED = /(.)\1{3}/u

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Whether words are written without spaces between them. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

function cut(part: string): readonly string[] {
  if (!UNSPACED.test(part)) return [part]
  return Array.from(segmenter.segment(part), ({ segment }) => segment)
}

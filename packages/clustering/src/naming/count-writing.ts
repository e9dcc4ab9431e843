import { STOP_WORDS } from './stop-words.ts'

/** How often words, in lower case, were written in which way. */
export interface Writing {
  /** In mid-sentence and capitalised as a person's name is: the first letter alone. */
  readonly capital: Map<string, number>
  /** In mid-sentence, written in any other way. */
  readonly small: Map<string, number>
  /** Introduced as somebody's name; not counted in the others. */
  readonly introduced: Map<string, number>
  /** Parts of e-mail addresses and user ids: `support@`, `order_12345`. Alone they do not make a word a name. */
  readonly addressed: Set<string>
}

/**
 * Counts the words of a text and returns all of them. Capitals carry no information in texts of capitals, in titles and
 * in German: there, only introductions are counted.
 */
export function countWriting(text: string, writing: Writing): readonly string[] {
  const beginning = text.slice(0, MOST_CHARACTERS).normalize('NFKC')
  const left = withoutNames(
    beginning.replace(ADDRESS, (address) => addAddress(address, writing)),
    writing,
  )
  const words = wordsOf(left)
  const telling = words.filter(({ lower, begins }) => !begins && !STOP_WORDS.has(lower))
  if (caseTells(beginning, words, telling)) {
    for (const { lower, isName } of telling) count(isName ? writing.capital : writing.small, lower)
  }
  return words.map(({ lower }) => lower)
}

function count(counts: Map<string, number>, word: string): void {
  counts.set(word, (counts.get(word) ?? 0) + 1)
}

/** Neither a word nor the end of a sentence. */
const LEFT_OUT = ' 0 '

function addAddress(address: string, { addressed }: Writing): string {
  for (const [part] of address.matchAll(LETTERS)) addressed.add(part.toLowerCase())
  return LEFT_OUT
}

function withoutNames(text: string, { introduced }: Writing): string {
  return [NAME_IS, CAPITAL_NAME].reduce(
    (rest, pattern) =>
      rest.replace(pattern, (whole: string, name: string) => {
        const words = Array.from(name.matchAll(LETTERS), ([word]) => word)
        // "My name is on the list" names nobody, "Mia" is a name though Italian has a word like it.
        if (words.some((word) => STOP_WORDS.has(word))) return whole
        for (const word of words) count(introduced, word.toLowerCase())
        return LEFT_OUT
      }),
    text,
  )
}

const MOST_CHARACTERS = 4000
const LETTERS = /\p{L}[\p{L}\p{M}]+/gu

/** The part before the @ of an e-mail address; `mia_li_3668`. */
const ADDRESS =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}(?=@[\p{L}\p{N}-])|(?<![\p{L}\p{N}_])(?:\p{L}{2,24}[_.]){1,4}\p{N}{2,}(?![\p{L}\p{N}_])/gu
const NAME_IS =
  /(?:\bname is|\bname['’]s|\bname:|mein name ist|ich heiße|je m['’]appelle|mon nom est|me llamo|mi nombre es|mi chiamo|meu nome é|mijn naam is|nazywam się|меня зовут)\s+(\p{L}[\p{L}\p{M}'’-]*(?:\s+\p{L}[\p{L}\p{M}'’-]*)?)/giu
/** Only with a capital: "I'm tired" introduces nobody. */
const CAPITAL_NAME =
  /\b(?:[Ii]['’]m|[Ii] am|[Ii]ch bin|[Jj]e suis|[Ss]oy|[Mm]r[.]?|[Mm]rs[.]?|[Mm]s[.]?|[Dd]r[.]?|Herr|Frau|Señora?|Madame|Monsieur)\s+(\p{Lu}\p{Ll}[\p{L}\p{M}'’-]*(?:\s+\p{Lu}\p{Ll}[\p{L}\p{M}'’-]*){0,2})/gu

interface Word {
  readonly lower: string
  /** Whether it begins a sentence, a line or a quotation. */
  readonly begins: boolean
  /** Whether it is capitalised as a person's name is. */
  readonly isName: boolean
}

const WORD = /(?<before>^|[^\p{L}\p{M}]+)(?<word>\p{L}[\p{L}\p{M}]+)/gu
const BEGINNING = /^$|[.!?:;…\n"“”«»([{*•>]/u
/** Not PayPal and not PDF. */
const CAPITALISED = /^\p{Lu}[\p{Ll}\p{M}]+$/u

function wordsOf(text: string): readonly Word[] {
  return Array.from(text.matchAll(WORD), ({ groups }) => {
    const { before, word } = groups as { before: string; word: string }
    return { lower: word.toLowerCase(), begins: BEGINNING.test(before), isName: CAPITALISED.test(word) }
  })
}

/** A text is a title if it has at least this many words in mid-sentence and this share of them has a capital. */
const TITLE_WORDS = 5
const TITLE_SHARE = 0.8
const SMALL_LETTER = /\p{Ll}/u
/** Words that only German has: it capitalises all nouns. */
const GERMAN: ReadonlySet<string> = new Set(
  'ich und nicht ist ein eine einen mein meine meinen für wird auf bitte kann möchte'.split(' '),
)

function caseTells(text: string, words: readonly Word[], telling: readonly Word[]): boolean {
  if (!SMALL_LETTER.test(text) || words.some(({ lower }) => GERMAN.has(lower))) return false
  const capitals = telling.filter(({ isName }) => isName).length
  return telling.length < TITLE_WORDS || capitals < TITLE_SHARE * telling.length
}

/** A text in which values are searched, in a form without case and punctuation. */
export class SearchedText {
  readonly #text: string
  #words: string | null = null
  #compact: string | null = null
  #numbers: ReadonlySet<number> | null = null

  constructor(text: string) {
    this.#text = text
  }

  /** Words between spaces, with a space at each end. */
  get words(): string {
    return (this.#words ??= wordsOf(this.#text))
  }

  get compact(): string {
    return (this.#compact ??= this.words.replaceAll(' ', ''))
  }

  get numbers(): ReadonlySet<number> {
    return (this.#numbers ??= new Set(this.#text.match(NUMBERS)?.map(toNumber)))
  }
}

const NUMBERS = /(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w])/g
const NUMBER = /^[^\w.-]*-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\W*$/
const toNumber = (text: string) => Number(text.replace(/[^\d.]/g, ''))

/** Escapes of JSON inside a text separate words, or are the letters that they stand for. */
function wordsOf(text: string): string {
  const letters = text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrtbf]/g, ' ')
  const words = letters
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return ` ${words.trim()} `
}

/** Shorter values occur everywhere, longer ones are texts that a model wrote. */
const LEAST_CHARS = 3
const MOST_WORDS = 12
const MOST_CHARS = 2000
/** Codes and phone numbers are also found with other separators from this length on. */
const CODE_CHARS = 6
/** Scripts without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u

/**
 * Whether a text holds a value: as the same words, as the same number or date in another notation, as a code with
 * other separators. Null for values that are not searched.
 */
export function holdsValue(value: unknown): ((text: SearchedText) => boolean) | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null
  const text = String(value).trim()
  if (text.length > MOST_CHARS) return null
  const words = wordsOf(text)
  const compact = words.replaceAll(' ', '')
  if (text.length < LEAST_CHARS || compact === '' || words.trim().split(' ').length > MOST_WORDS) return null
  const date = datePattern(text)
  if (date !== null) return (one) => date.test(one.words)
  if (NUMBER.test(text) && compact.length < 16) {
    const number = toNumber(text)
    return (one) => one.numbers.has(number) || hasCode(one)
  }
  return (one) => one.words.includes(words) || hasCode(one)

  function hasCode(one: SearchedText): boolean {
    const isCode = compact.length >= CODE_CHARS && /\d/.test(compact)
    return (isCode || UNSPACED.test(compact)) && one.compact.includes(compact)
  }
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const REST = 'uary|ruary|ch|il||e|y|ust|tember|ober|ember|ember'.split('|')

/** Finds the date that a text is, in words; null for other texts. */
function datePattern(text: string): RegExp | null {
  const found = readDate(wordsOf(text).trim())
  if (found === null) return null
  const [year, month, day] = found
  const name = `${MONTHS[month - 1]}(?:${REST[month - 1]})?`
  const [m, d, y] = [`0?${month}`, `0?${day}`, year === null ? '\\d{4}' : String(year)]
  const ordinal = `${d}(?:st|nd|rd|th)?`
  const withYear = `(?: ${y}(?=[ t])|(?! \\d{4} ))`
  const forms = [`${y} ${m} ${d}`, `${m} ${d} ${y}`, `${d} ${m} ${y}`]
  const named = [`${name} ${ordinal}${withYear}`, `${ordinal} (?:of )?${name}${withYear}`]
  return new RegExp(` (?:${[...forms, ...named].join('|')})(?=[ t])`)
}

function readDate(words: string): readonly [year: number | null, month: number, day: number] | null {
  const iso = /^(\d{4}) (\d\d?) (\d\d?)(?:t.*)?$/.exec(words)
  if (iso !== null) return checked(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const numeric = /^(\d\d?) (\d\d?) (\d{4})$/.exec(words)
  if (numeric !== null) return checked(Number(numeric[3]), Number(numeric[1]), Number(numeric[2]))
  const named = /^(?:([a-z]{3})[a-z]* (\d\d?)|(\d\d?) (?:of )?([a-z]{3})[a-z]*)(?:st|nd|rd|th)?(?: (\d{4}))?$/.exec(
    words,
  )
  if (named === null) return null
  const month = MONTHS.indexOf(named[1] ?? named[4]!) + 1
  return checked(named[5] === undefined ? null : Number(named[5]), month, Number(named[2] ?? named[3]))
}

function checked(year: number | null, month: number, day: number): readonly [number | null, number, number] | null {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31 ? [year, month, day] : null
}

import { isRawNumber } from '@spoor/payloads/exact-json'

interface Cuts {
  /** UTF-16 code units of each text. */
  readonly characters: number
  /** Elements of each array, members of each object. */
  readonly items: number
}

/** Texts are cut before lists: most large values are one text. */
const CUTS: readonly Cuts[] = [
  { characters: 65_536, items: Infinity },
  { characters: 16_384, items: Infinity },
  { characters: 4096, items: Infinity },
  { characters: 1024, items: 10_000 },
  { characters: 1024, items: 3000 },
  { characters: 1024, items: 1000 },
  { characters: 1024, items: 200 },
  { characters: 200, items: 20 },
]

export interface Shortened {
  readonly value: unknown
  /** The change, as a sentence. */
  readonly said: string
}

/** The value with its texts, and then its lists, cut until its JSON has at most `mostBytes`. Null if none is enough. */
export function shortened(value: unknown, mostBytes: number): Shortened | null {
  for (const cuts of CUTS) {
    const short = cut(value, cuts)
    if (Buffer.byteLength(JSON.stringify(short)) > mostBytes) continue
    const lists = cuts.items === Infinity ? '' : `, lists and objects to ${cuts.items} of their members`
    return { value: short, said: `Texts were cut to ${cuts.characters} characters${lists}.` }
  }
  return null
}

function cut(value: unknown, cuts: Cuts): unknown {
  if (typeof value === 'string') return cutText(value, cuts.characters)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value
  if (Array.isArray(value)) return bothEnds(value, cuts.items).map((one) => cut(one, cuts))
  return Object.fromEntries(bothEnds(Object.entries(value), cuts.items).map(([key, one]) => [key, cut(one, cuts)]))
}

/** Says how much is missing. */
export function cutText(text: string, characters: number): string {
  if (text.length <= characters) return text
  return `${text.slice(0, characters).toWellFormed()}… [${text.length - characters} characters were cut]`
}

/** The beginning shows the subject, the end the outcome. */
function bothEnds<T>(list: readonly T[], most: number): readonly T[] {
  return list.length <= most ? list : [...list.slice(0, most / 2), ...list.slice(-most / 2)]
}

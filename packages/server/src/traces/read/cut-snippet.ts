import { prefixOf, toSearchText, withoutAccents } from '../rules/search-text.ts'

/** A piece of a text around the words of a query. */
export interface CutSnippet {
  /** In one line, `…` where it was cut. */
  readonly text: string
  /** Where the words are: offsets of UTF-16 code units, in order, without overlap. */
  readonly ranges: readonly (readonly [start: number, end: number])[]
}

/** About as many characters as two lines of a list show. */
const LENGTH = 160
/** Of them before the first word that was found. */
const BEFORE = 40
/** Most characters that are searched for a word, so that a page of huge texts stays fast. */
const LONGEST_TEXT = 1024 * 1024

/**
 * Cuts the snippet out of the text that has the most words of the query (see `toQueryWords`), of several the first.
 * Null when none has any.
 */
export function cutSnippet(texts: readonly string[], queryWords: readonly string[]): CutSnippet | null {
  let best: { readonly text: string; readonly at: number; readonly count: number } | null = null
  for (const each of texts) {
    const found = firstWords(each.slice(0, LONGEST_TEXT), queryWords)
    if (found !== null && found.count > (best?.count ?? 0)) best = found
    if (best?.count === queryWords.length) break
  }
  if (best === null) return null
  const text = windowOf(best.text, best.at)
  return { text, ranges: rangesOf(text, queryWords) }
}

/** Where the first word of the query is, and how many of them the text has. */
function firstWords(text: string, queryWords: readonly string[]) {
  // Words that the index writes in another way, such as composed letters, are found in its form of the text alone.
  for (const form of [text, toSearchText(text)]) {
    const readings = readingsOf(form)
    const places = queryWords.flatMap((word) =>
      readings.flatMap((reading) => findWord(reading, word, 0)?.[0] ?? []).slice(0, 1),
    )
    if (places.length > 0) return { text: form, at: Math.min(...places), count: places.length }
  }
  return null
}

function windowOf(text: string, at: number): string {
  const from = at <= BEFORE ? 0 : blankAfter(text, at - BEFORE, at)
  const end = from + LENGTH >= text.length ? text.length : blankBefore(text, from + LENGTH, at + BEFORE)
  const inside = text.slice(from, end).toWellFormed().replace(/\s+/g, ' ').trim()
  return `${from > 0 ? '…' : ''}${inside}${end < text.length ? '…' : ''}`
}

function blankAfter(text: string, from: number, before: number): number {
  const at = text.slice(from, before).search(/\s/)
  return at === -1 ? from : from + at + 1
}

function blankBefore(text: string, to: number, after: number): number {
  const at = text.slice(after, to).search(/\s\S*$/)
  return at === -1 ? to : after + at
}

function rangesOf(text: string, queryWords: readonly string[]): (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = []
  for (const reading of readingsOf(text))
    for (const word of queryWords) {
      for (let place = findWord(reading, word, 0); place !== null; place = findWord(reading, word, place[1]))
        ranges.push(place)
    }
  ranges.sort(([a], [b]) => a - b)
  return ranges.filter(([start], index) => start >= (ranges[index - 1]?.[1] ?? 0))
}

/** The text in lower case, and the same without accents, if characters keep their places. */
function readingsOf(text: string): readonly string[] {
  const lower = lowerCase(text)
  const plain = withoutAccents(lower)
  return plain !== lower && plain.length === lower.length ? [lower, plain] : [lower]
}

/** In some languages lower case is longer, and characters lose their places: then the text stays unchanged. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text
}

function findWord(lower: string, queryWord: string, from: number): readonly [number, number] | null {
  const prefix = prefixOf(queryWord)
  const wanted = prefix ?? queryWord
  for (let at = lower.indexOf(wanted, from); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    if (isInWord(lower, at - 1)) continue
    const end = at + wanted.length
    if (prefix !== null) return [at, wordEnd(lower, end)]
    if (!isInWord(lower, end)) return [at, end]
  }
  return null
}

function wordEnd(text: string, from: number): number {
  let end = from
  while (isInWord(text, end)) end += 1
  return end
}

function isInWord(text: string, at: number): boolean {
  const character = text[at]
  return character !== undefined && /[\p{L}\p{M}\p{N}]/u.test(character)
}

/** A stretch of text, and whether it matches a query word. */
export interface TextPart {
  readonly text: string
  readonly found: boolean
}

const UNSPACED =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]'
/** Words as the service tokenizes text: runs of letters and digits, and each character of a script without spaces. */
const WORD = new RegExp(`${UNSPACED}\\p{M}*|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`, 'gu')

/** Splits a text where the service's full-text search matches the words of a query. */
export function findWords(text: string, query: string): TextPart[] {
  const words = new Set<string>()
  const prefixes: string[] = []
  for (const { 0: word, index } of query.matchAll(WORD)) {
    if (query[index + word.length] === '*') prefixes.push(normalise(word))
    else words.add(normalise(word))
  }
  const isFound = (word: string) => words.has(word) || prefixes.some((prefix) => word.startsWith(prefix))
  const parts: TextPart[] = []
  let end = 0
  for (const { 0: word, index } of words.size + prefixes.length === 0 ? [] : text.matchAll(WORD)) {
    if (!isFound(normalise(word))) continue
    if (index > end) parts.push({ text: text.slice(end, index), found: false })
    parts.push({ text: word, found: true })
    end = index + word.length
  }
  if (end < text.length) parts.push({ text: text.slice(end), found: false })
  return parts
}

function normalise(word: string): string {
  return word.normalize('NFC').toLowerCase()
}

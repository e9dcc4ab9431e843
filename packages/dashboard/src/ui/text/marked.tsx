import { findWords } from '../../lib/find-words.ts'

/** A text with the matches of the full-text search marked. */
export function Marked({ text, query }: { text: string; query: string | undefined }) {
  if (query === undefined) return text
  return findWords(text, query).map(({ text: part, found }, index) => (found ? <mark key={index}>{part}</mark> : part))
}

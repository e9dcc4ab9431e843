export interface Piece {
  readonly from: number
  readonly to: number
  readonly shown: boolean
}

/** Characters shown around a match. */
const AROUND = 1000
/** The most matches that are shown at once. */
const MATCHES_MAX = 20

/** The shown start of a text, and what is around the matches of a search (in lower case) further down. */
export function shownPieces(text: string, query: string, shown: number): readonly Piece[] {
  const pieces: Piece[] = [{ from: 0, to: Math.min(shown, text.length), shown: true }]
  for (const at of query === '' || text.length <= shown ? [] : matchesOf(text.toLowerCase(), query, shown)) {
    const last = pieces.at(-1) as Piece
    const to = Math.min(text.length, at + query.length + AROUND)
    const from = at - AROUND
    if (from <= last.to) pieces[pieces.length - 1] = { ...last, to: Math.max(last.to, to) }
    else pieces.push({ from: last.to, to: from, shown: false }, { from, to, shown: true })
  }
  const { to } = pieces.at(-1) as Piece
  if (to < text.length) pieces.push({ from: to, to: text.length, shown: false })
  return pieces
}

/** The first matches that end beyond the shown part. */
function matchesOf(text: string, query: string, shown: number): number[] {
  const found: number[] = []
  let at = text.indexOf(query, Math.max(0, shown - query.length + 1))
  for (; at !== -1 && found.length < MATCHES_MAX; at = text.indexOf(query, at + query.length)) found.push(at)
  return found
}

export interface TextPiece {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** Texts with more pairs of words between their equal ends are compared as a whole, which takes milliseconds. */
const MOST_PAIRS = 1_000_000

/** What changed from one text to another, by words. The pieces that are not added are the old text, in order. */
export function textDifference(before: string, after: string): readonly TextPiece[] {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  const least = Math.min(old.length, now.length)
  let start = 0
  while (start < least && old[start] === now[start]) start += 1
  let end = 0
  while (end < least - start && old.at(-1 - end) === now.at(-1 - end)) end += 1
  const pieces: TextPiece[] = []
  const add = (kind: TextPiece['kind'], words: readonly string[]) => {
    const text = words.join('')
    const last = pieces.at(-1)
    if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text }
    else if (text !== '') pieces.push({ kind, text })
  }
  add('same', old.slice(0, start))
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)]
  let [from, to] = [0, 0]
  for (const [inOld, inNow] of commonWords(removed, added)) {
    add('removed', removed.slice(from, inOld))
    add('added', added.slice(to, inNow))
    add('same', removed.slice(inOld, inOld + 1))
    ;[from, to] = [inOld + 1, inNow + 1]
  }
  add('removed', removed.slice(from))
  add('added', added.slice(to))
  add('same', old.slice(old.length - end))
  return pieces
}

/** Words with the space after them. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

/** The longest common sequence of words, as their places in both. */
function commonWords(old: readonly string[], now: readonly string[]): readonly (readonly [number, number])[] {
  if (old.length * now.length > MOST_PAIRS) return []
  const width = now.length + 1
  // The most common words from each pair of places on.
  const most = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      const [below, right] = [most[(i + 1) * width + j]!, most[i * width + j + 1]!]
      most[i * width + j] = old[i] === now[j] ? most[(i + 1) * width + j + 1]! + 1 : Math.max(below, right)
    }
  }
  const places: [number, number][] = []
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) places.push([i++, j++])
    else if (most[(i + 1) * width + j]! >= most[i * width + j + 1]!) i += 1
    else j += 1
  }
  return places
}

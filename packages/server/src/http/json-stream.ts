import { Readable } from 'node:stream'

/** Long texts go out in pieces of about this size: large enough to cost little each, small enough that many slow readers hold little. */
const PIECE_LENGTH = 32 * 1024

/**
 * `head`, then the elements of all pages separated by commas, then `tail`, which is asked for behind the last of them. Asks for the next page only when the client has taken what it has; a client
 * that goes away ends `pages`. An error of the first page is thrown before anything is sent; a later one cuts the answer off, so that it cannot be taken for whole.
 */
export function streamJsonArray<T>(
  head: string,
  pages: AsyncIterable<readonly T[]>,
  toText: (element: T) => string,
  tail: () => string,
): Readable {
  return Readable.from(pieces(head, pages, toText, tail), { objectMode: true, highWaterMark: 1 })
}

async function* pieces<T>(
  head: string,
  pages: AsyncIterable<readonly T[]>,
  toText: (element: T) => string,
  tail: () => string,
): AsyncGenerator<string> {
  let piece = head
  let separator = ''
  for await (const page of pages) {
    for (const element of page) {
      piece += separator + toText(element)
      separator = ','
      if (piece.length >= PIECE_LENGTH) {
        yield piece
        piece = ''
      }
    }
  }
  yield piece + tail()
}

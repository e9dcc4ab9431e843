import { Readable } from 'node:stream'
import { forCurrentRequester } from '../../lib/work/requester.ts'
import type { InTurns } from '../../lib/work/work-turns.ts'

/** Long texts go out in pieces of about this size: large enough to cost little each, small enough that many slow readers hold little. */
const PIECE_LENGTH = 32 * 1024

/** One array of an answer: the elements of all its pages, and the text that follows them. */
export interface JsonSection {
  /** Each page as the texts of its elements. */
  readonly pages: AsyncIterable<readonly string[]>
  /** Asked for behind the last of them. */
  readonly after: () => string
}

/** The elements of `pages` as texts, printed in turns when the stream needs them. */
export async function* textPages<T>(
  pages: AsyncIterable<readonly T[]>,
  toText: (element: T) => string,
  inTurns: InTurns,
): AsyncGenerator<readonly string[]> {
  for await (const page of pages) {
    const texts: string[] = []
    await inTurns(() => {
      const element = page[texts.length]
      if (element !== undefined) texts.push(toText(element))
      return texts.length < page.length
    })
    yield texts
  }
}

/**
 * `head`, then each section: its elements separated by commas, then what follows them. Asks for the next page only when the client has taken what it has; a client
 * that goes away ends the pages. An error of the first page is thrown before anything is sent; a later one cuts the answer off, so that it cannot be taken for whole.
 */
export function streamJson(head: string, sections: readonly JsonSection[]): Readable {
  return Readable.from(forCurrentRequester(pieces(head, sections)), { objectMode: true, highWaterMark: 1 })
}

async function* pieces(head: string, sections: readonly JsonSection[]): AsyncGenerator<string> {
  let piece = head
  for (const { pages, after } of sections) {
    let separator = ''
    for await (const page of pages) {
      for (const element of page) {
        piece += separator + element
        separator = ','
        if (piece.length >= PIECE_LENGTH) {
          yield piece
          piece = ''
        }
      }
    }
    piece += after()
  }
  yield piece
}

import { Readable } from 'node:stream'
import { forCurrentRequester } from '../../lib/flow/requester.ts'
import type { InTurns } from '../../lib/flow/work-turns.ts'

/** The approximate size of pieces of long texts: large enough to be cheap, small enough for many slow readers. */
const PIECE_LENGTH = 32 * 1024

/** One array of an answer: the elements of all its pages and the text after them. */
export interface JsonSection {
  /** Pages of elements as texts. */
  readonly pages: AsyncIterable<readonly string[]>
  /** Called after the last page. */
  readonly after: () => string
}

/** The elements of `pages` as texts, printed in turns (WorkTurns) when the stream needs them. */
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
 * `head`, then each section: its elements separated by commas, then `after()`. The next page is read only when the
 * client has taken the previous one, and none after it has disconnected. An error of the first page is thrown before
 * anything is sent; a later error breaks the connection, so that the client knows that the answer is incomplete.
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

import { createLineSplitter, type SplitLine } from '../../lib/lines/ndjson.ts'

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * The lines of a file that are not blank, read only as far as the consumer requests. A byte order mark before the first
 * line, which some editors write, is skipped.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<SplitLine> {
  const splitter = createLineSplitter(maxLineBytes)
  for await (const chunk of withoutByteOrderMark(chunks)) yield* splitter.push(chunk)
  yield* splitter.end()
}

async function* withoutByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let start: Buffer | null = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (start === null) {
      yield chunk
      continue
    }
    start = Buffer.concat([start, chunk])
    if (start.length < BYTE_ORDER_MARK.length) continue
    yield stripMark(start)
    start = null
  }
  if (start !== null) yield stripMark(start)
}

function stripMark(start: Buffer): Buffer {
  const marked = start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return marked ? start.subarray(BYTE_ORDER_MARK.length) : start
}

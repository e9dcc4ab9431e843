import { type Fields, isFields, isList, parseJson } from '@spoor/payloads/json'
import { readLines } from '../read-lines.ts'
import { readCsv } from './csv.ts'
import { arrayElements } from './array-elements.ts'
import { readParquet } from './parquet.ts'

/** A row of an export of another service, or why there is none. `number`: its line, or its place in a list, from 1. */
export type ReadRow =
  | { readonly number: number; readonly row: Fields }
  | { readonly number: number; readonly code: string; readonly detail: string }

const PARQUET = 'PAR1'
const [LIST, OBJECT] = ['[', '{']

/** Rows of a file: JSON lines, a JSON list, CSV with names in its first line, or Parquet. Its first bytes say which. */
export async function* readRows(
  path: string,
  chunks: AsyncIterable<Buffer>,
  maxRowBytes: number,
): AsyncGenerator<ReadRow> {
  const { start, all } = await peek(chunks)
  if (start.startsWith(PARQUET)) {
    let number = 0
    for await (const row of readParquet(path)) yield { number: ++number, row: withValues(row) }
  } else if (start.trimStart().startsWith(LIST)) {
    for await (const { number, text } of arrayElements(decoded(all), maxRowBytes)) yield* fromJson(number, text)
  } else if (start.trimStart().startsWith(OBJECT)) {
    for await (const line of readLines(all, maxRowBytes)) {
      if (line.kind === 'line') yield* fromJson(line.number, line.bytes.toString())
      else yield tooLong(line.number, maxRowBytes)
    }
  } else yield* fromCsv(decoded(all), maxRowBytes)
}

/** Answers of an API have a page of rows in `data`, `spans` or `runs`. */
const PAGES = ['data', 'spans', 'runs'] as const

function* fromJson(number: number, text: string | null): Generator<ReadRow> {
  if (text === null) return void (yield tooLong(number, null))
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return void (yield { number, code: 'malformed_json', detail: error.message })
  }
  if (!isFields(value)) return void (yield { number, code: 'malformed_row', detail: 'A row must be an object.' })
  const page =
    'id' in value || 'context' in value ? undefined : PAGES.map((name) => (value as Fields)[name]).find(isList)
  for (const row of page ?? [value]) {
    if (isFields(row)) yield { number, row }
    else yield { number, code: 'malformed_row', detail: 'A row must be an object.' }
  }
}

async function* fromCsv(texts: AsyncIterable<string>, maxRowBytes: number): AsyncGenerator<ReadRow> {
  let names: readonly string[] | null = null
  for await (const { number, fields } of readCsv(texts, maxRowBytes)) {
    if (fields === null) yield tooLong(number, maxRowBytes)
    else if (names === null) names = fields
    else if (fields.length === names.length) {
      const pairs = names.map((name, at) => [name, fields[at]] as const).filter(([, value]) => value !== '')
      yield { number, row: withValues(Object.fromEntries(pairs)) }
    } else {
      const detail = `The row has ${fields.length} fields, and the first line names ${names.length}.`
      yield { number, code: 'malformed_row', detail }
    }
  }
}

/** Objects and lists stand as JSON in columns of text. */
function withValues(row: Fields): Fields {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, parseJson(value)]))
}

function tooLong(number: number, maxRowBytes: number | null): ReadRow {
  const limit = maxRowBytes === null ? 'allowed' : `${maxRowBytes} bytes`
  return { number, code: 'line_too_large', detail: `The row is longer than ${limit}.` }
}

async function peek(chunks: AsyncIterable<Buffer>): Promise<{ start: string; all: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  let first = Buffer.alloc(0)
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    first = Buffer.concat([first, next.value])
    if (first.toString('latin1').trim() !== '' && first.length >= PARQUET.length) break
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { start: first.toString('utf8').replace(/^\uFEFF/, ''), all: all() }
}

async function* decoded(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  // It also takes away a byte order mark.
  const decoder = new TextDecoder()
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

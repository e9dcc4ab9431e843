import type { Fields } from '@spoor/payloads/json'
import type { InputLine } from '../import-traces.ts'
import { readLines } from '../read-lines.ts'
import { BadRow } from './row-values.ts'
import type { Peer } from './peer.ts'
import { readRows } from './read-rows.ts'

export interface PeerFile {
  readonly path: string
  readonly chunks: AsyncIterable<Buffer>
}

/** The bodies to send for all rows of the files, one file after the other. A row that gives none is refused alone. */
export async function* peerLines(
  { pathOf, toBody }: Peer,
  files: readonly PeerFile[],
  maxRowBytes: number,
): AsyncGenerator<InputLine> {
  for (const { path, chunks } of files) {
    const place = files.length === 1 ? {} : { file: path }
    const lines = toBody === null ? readLines(chunks, maxRowBytes) : bodiesOf(toBody, path, chunks, maxRowBytes)
    for await (const line of lines) {
      if (line.kind === 'line' && pathOf(line.bytes) === null) {
        const detail = 'A line must begin with `resourceSpans` or `resourceLogs`: metrics are no traces.'
        yield { kind: 'refused', number: line.number, code: 'not_traces', detail, ...place }
      } else yield { ...line, ...place }
    }
  }
}

async function* bodiesOf(
  toBody: (row: Fields) => unknown,
  path: string,
  chunks: AsyncIterable<Buffer>,
  maxRowBytes: number,
): AsyncGenerator<InputLine> {
  for await (const read of readRows(path, chunks, maxRowBytes)) {
    if ('code' in read) yield { kind: 'refused', ...read }
    else yield { ...bodyOf(toBody, read.row), number: read.number }
  }
}

function bodyOf(toBody: (row: Fields) => unknown, row: Fields) {
  try {
    return { kind: 'line' as const, bytes: Buffer.from(JSON.stringify(toBody(row))) }
  } catch (error) {
    if (!(error instanceof BadRow)) throw error
    return { kind: 'refused' as const, code: 'malformed_row', detail: error.message }
  }
}

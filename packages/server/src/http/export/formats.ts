import type { ExportFormat } from '@spoor/contract/schemas/export-query'
import { cellReader, type Column, type ColumnKind } from './columns.ts'

type Rows = readonly Buffer[]

/** Turns pages of rows (JSON text) into the bytes of a file. */
export interface Encoder {
  /** Before the first page. */
  start(): Buffer
  page(rows: Rows): Buffer
  /** After the last one. */
  end(rows: number): Buffer
}

/** A row group of Parquet ends at one of these: it is held, and encoding it keeps the main thread for some 10 ms. */
const MOST_ROWS = 2000
const MOST_BYTES = 4 * 1024 * 1024

const NOTHING = Buffer.alloc(0)

const BASIC_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // As text, because the library would print it anew, and metadata keeps numbers of any length.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies Record<ColumnKind, object>

/** The encoder of a format. Only Parquet loads its library. */
export async function encoderOf(format: ExportFormat, columns: readonly Column[]): Promise<Encoder> {
  if (format === 'jsonl') return LINES
  return format === 'csv' ? csv(columns) : parquet(columns)
}

const LINES: Encoder = {
  start: () => NOTHING,
  page: (rows) => Buffer.from(rows.map((row) => `${row.toString()}\n`).join('')),
  end: (rows) => Buffer.from(`${JSON.stringify({ complete: true, rows })}\n`),
}

function csv(columns: readonly Column[]): Encoder {
  const line = (fields: readonly string[]) => `${fields.map(quoted).join(',')}\r\n`
  const read = cellReader(columns)
  const lineOf = (row: Buffer) => {
    const fields = columns.map(() => '')
    read(row, (at, json) => (fields[at] = json.startsWith('"') ? (JSON.parse(json) as string) : json))
    return line(fields)
  }
  return {
    start: () => Buffer.from(line(columns.map(({ name }) => name))),
    page: (rows) => Buffer.from(rows.map(lineOf).join('')),
    end: () => NOTHING,
  }
}

/** As RFC 4180: quotes around a field that has a quote, a comma or a line break, and each quote twice. */
function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field
}

async function parquet(columns: readonly Column[]): Promise<Encoder> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...BASIC_TYPES[kind] })),
    ],
    createdBy: 'spoor',
  })
  const read = cellReader(columns)
  const data = columns.map((): unknown[] => [])
  let waiting = 0
  let waitingBytes = 0
  const written = () => {
    const part = Buffer.from(bytes.getBuffer())
    bytes.index = 0
    return part
  }
  const writeGroup = () => {
    if (waiting === 0) return
    const columnData = columns.map(({ name }, at) => ({ name, offsetIndex: false, data: data[at]!.splice(0) }))
    void writer.write({ columnData, rowGroupSize: waiting })
    waiting = 0
    waitingBytes = 0
  }
  return {
    start: written,
    page(rows) {
      for (const row of rows) {
        for (const values of data) values.push(undefined)
        read(row, (at, json) => (data[at]![waiting] = valueOf(columns[at]!.kind, json)))
        waiting++
        waitingBytes += row.length
      }
      if (waiting >= MOST_ROWS || waitingBytes >= MOST_BYTES) writeGroup()
      return written()
    },
    end() {
      writeGroup()
      void writer.finish()
      return written()
    },
  }
}

function valueOf(kind: ColumnKind, json: string): unknown {
  if (kind === 'json') return json
  const value: unknown = JSON.parse(json)
  if (kind === 'integer') return BigInt(value as number)
  return kind === 'time' ? new Date(value as string) : value
}

import type { ExportFormat } from '@spoor/contract/schemas/export-query'
import { cellReader, type Column } from './columns.ts'
import type { Encoder } from './encoder.ts'
import { parquet } from './parquet.ts'

const NOTHING = Buffer.alloc(0)

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

import type { ColumnChunk, ColumnMetaData, RowGroup } from 'hyparquet'
import { cellReader, type Column, type ColumnKind } from './columns.ts'
import type { Encoder, Join } from './encoder.ts'

/** A row group ends at one of these: it is held, and encoding it keeps the main thread for some 10 ms. */
const MOST_ROWS = 2000
const MOST_BYTES = 4 * 1024 * 1024
/** The footer of a file that is joined: 10 KB for a row group. */
const MOST_FOOTER_BYTES = 1024 * 1024
/** `PAR1`, and before it the length of the footer. */
const MAGIC_BYTES = 4
const END_BYTES = 8

const BASIC_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // As text, because the library would print it anew, and metadata keeps numbers of any length.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
} as const satisfies Record<ColumnKind, object>

/** Loads its library when it is called. */
export async function parquet(columns: readonly Column[]): Promise<Encoder & { readonly join: Join }> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const { parquetMetadata } = await import('hyparquet')
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
    join(file) {
      const footer = file.length - END_BYTES - file.readUInt32LE(file.length - END_BYTES)
      if (footer < file.length - MOST_FOOTER_BYTES) throw new Error('the footer of a file to join is too large')
      const { row_groups: groups } = parquetMetadata(file)
      const moved = groups.map((group) => movedGroup(group, columns, footer, bytes.offset - MAGIC_BYTES))
      const count = groups.reduce((sum, { num_rows }) => sum + num_rows, 0n)
      writer.row_groups.push(...moved)
      writer.num_rows += count
      bytes.offset += footer - MAGIC_BYTES
      return { bytes: file.subarray(MAGIC_BYTES, footer), rows: Number(count) }
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

/** A group whose chunks lie before `end` in its file, in a file where they lie `by` bytes later. */
function movedGroup(group: RowGroup, columns: readonly Column[], end: number, by: number): RowGroup {
  const { num_rows, total_byte_size } = group
  const moved = group.columns.map(({ meta_data: chunk }, at): ColumnChunk => {
    const column = columns[at]
    if (chunk === undefined || column === undefined || !isOf(column, chunk) || chunk.num_values !== num_rows)
      throw new Error(`a file to join has another column ${at}: ${chunk?.path_in_schema.join('.')}`)
    const { data_page_offset, dictionary_page_offset, total_compressed_size } = chunk
    const start = dictionary_page_offset ?? data_page_offset
    if (start < MAGIC_BYTES || data_page_offset < start || total_compressed_size < 0n)
      throw new Error('a chunk of a file to join begins outside it')
    if (start + total_compressed_size > end) throw new Error('a chunk of a file to join ends outside it')
    const { type, encodings, path_in_schema, codec, num_values, total_uncompressed_size } = chunk
    return {
      file_offset: 0n,
      meta_data: {
        type,
        encodings,
        path_in_schema,
        codec,
        num_values,
        total_uncompressed_size,
        total_compressed_size,
        data_page_offset: data_page_offset + BigInt(by),
        ...(dictionary_page_offset === undefined
          ? {}
          : { dictionary_page_offset: dictionary_page_offset + BigInt(by) }),
      },
    }
  })
  if (moved.length !== columns.length) throw new Error('a file to join lacks columns')
  return { columns: moved, num_rows, total_byte_size }
}

function isOf({ name, kind }: Column, { type, path_in_schema: [own, ...others] }: ColumnMetaData): boolean {
  return own === name && others.length === 0 && type === BASIC_TYPES[kind].type
}

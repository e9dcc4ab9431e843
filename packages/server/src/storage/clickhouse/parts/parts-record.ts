import { readFile } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { ifThere, replaceFile } from '../../files.ts'

/** A part that the engine had, flushed and complete. */
export interface RecordedPart {
  readonly table: string
  /** The engine's name (part-name.ts). */
  readonly name: string
  readonly rows: number
}

/** The contents of the engine at some moment. */
export interface PartsRecord {
  /** Identity of the store, from the control store: detects files of another store. */
  readonly storeId: string
  /** The rows of all commits up to this one are in `parts`. */
  readonly settledThrough: number
  readonly parts: readonly RecordedPart[]
}

const FORMAT = 'spoor-parts-1'

/**
 * Reads the record; null when there is none. Throws when the file is damaged. Format: a line `spoor-parts-1 <CRC-32 of
 * the remaining lines, hex>`, a line `<store id> <settled through>`, then a line `<table> <part> <rows>` for each part.
 */
export async function readPartsRecord(path: string): Promise<PartsRecord | null> {
  const text = await ifThere(readFile(path, 'utf8'), null)
  if (text === null) return null
  const headerEnd = text.indexOf('\n') + 1
  const body = text.slice(headerEnd)
  if (text.slice(0, headerEnd) !== headerOf(body)) throw new Error(`${path} is damaged`)
  const [head = '', ...lines] = body.trimEnd().split('\n')
  const [storeId = '', settledThrough] = head.split(' ')
  const parts = lines.map((line) => {
    const [table = '', name = '', rows] = line.split(' ')
    return { table, name, rows: Number(rows) }
  })
  return { storeId, settledThrough: Number(settledThrough), parts }
}

/** Replaces the whole record, durably. When it rejects, the old or the new one exists. */
export async function writePartsRecord(path: string, { storeId, settledThrough, parts }: PartsRecord): Promise<void> {
  const lines = parts.map(({ table, name, rows }) => `${table} ${name} ${rows}\n`)
  const body = `${storeId} ${settledThrough}\n${lines.join('')}`
  await replaceFile(path, `${headerOf(body)}${body}`)
}

function headerOf(body: string): string {
  return `${FORMAT} ${crc32(body).toString(16).padStart(8, '0')}\n`
}

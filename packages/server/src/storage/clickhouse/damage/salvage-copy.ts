import { text } from '../engine/literal.ts'
import { activeParts, checkPart, type TablePart } from './table-part.ts'
import { flushFolder } from '../../embedded/log/flush-folder.ts'
import { findPartDamage } from '../parts/part-damage.ts'
import { offsetsOf } from './part-rows.ts'
import type { RowRange } from './bad-rows.ts'
import type { SalvageSession } from './salvage-session.ts'

const PREFIX = 'salvage_of_'

/**
 * Name of the table that holds the readable rows of a damaged part until they replace it. It contains the part's name.
 */
export function copyName({ table, name }: Pick<TablePart, 'table' | 'name'>): string {
  return `${PREFIX}${table}_part_${name}`
}

/** The part that a copy was made of; null when the table is not a copy. */
export function copiedPart(tableName: string): { readonly table: string; readonly name: string } | null {
  const match = new RegExp(`^${PREFIX}(\\w+)_part_([0-9a-z]+(?:_\\d+)+)$`).exec(tableName)
  return match === null ? null : { table: match[1] as string, name: match[2] as string }
}

/** Small enough for a small process with all columns and a text index. */
const BLOCK_ROWS = 50_000
const BLOCK_BYTES = 32 * 1024 * 1024
/** Rows are copied unchanged, old versions too; merges drop those later. */
const COPY_SETTINGS =
  `max_threads = 1, max_insert_threads = 1, max_partitions_per_insert_block = 0, optimize_on_insert = 0, ` +
  `min_insert_block_size_rows = ${BLOCK_ROWS}, min_insert_block_size_bytes = ${BLOCK_BYTES}, ` +
  'use_skip_indexes = 0, use_query_condition_cache = 0'

/** Creates an empty copy and replaces an earlier one. It is not merged, so that its rows can be counted. */
export async function createCopy(session: Pick<SalvageSession, 'command'>, part: TablePart): Promise<void> {
  await dropCopy(session, part)
  await session.command(`CREATE TABLE ${copyName(part)} AS ${part.table}`)
  await session.command(`SYSTEM STOP MERGES ${copyName(part)}`)
}

/** Copies the rows; durable when it resolves. Returns the number of rows. */
export async function copyRows(session: SalvageSession, part: TablePart, ranges: readonly RowRange[]): Promise<number> {
  const copy = copyName(part)
  await createCopy(session, part)
  for (const range of ranges) {
    await session.command(
      `INSERT INTO ${copy} SELECT * FROM ${part.table} WHERE ${offsetsOf(part, range)} SETTINGS ${COPY_SETTINGS}`,
    )
  }
  const rows = await secureCopy(session, part)
  if (rows === null) throw new Error(`a copy of the readable rows of ${part.name} could not be written`)
  return rows
}

/** Flushes all files of a copy, because inserts do not flush files of text indexes. Null if it is not whole. */
export async function secureCopy(
  session: Pick<SalvageSession, 'select'>,
  part: Pick<TablePart, 'table' | 'name'>,
): Promise<number | null> {
  const parts = await activeParts(session, `table = ${text(copyName(part))}`)
  for (const copied of parts) {
    if ((await findPartDamage(copied.path)) !== null || (await checkPart(session, copied))?.ok !== true) return null
    await flushFolder(copied.path)
  }
  return parts.reduce((sum, { rows }) => sum + rows, 0)
}

export async function dropCopy(session: Pick<SalvageSession, 'command'>, part: TablePart): Promise<void> {
  await session.command(`DROP TABLE IF EXISTS ${copyName(part)} SYNC`)
}

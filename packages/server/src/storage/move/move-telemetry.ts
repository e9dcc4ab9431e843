import { OperatorError } from '../../lib/operator-error.ts'
import { text } from '../clickhouse/engine/literal.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import type { Key, TablePlace } from './move-progress.ts'
import type { MovedTable } from './telemetry-tables.ts'

export interface TableMove {
  readonly source: Pick<TelemetryEngine, 'select'>
  readonly target: Pick<TelemetryEngine, 'select' | 'insert'>
  readonly table: MovedTable
  /** Names of batches begin with it: it MUST be that of this store as it is now. */
  readonly batchPrefix: string
  /** Where an earlier attempt ended; null: nothing was copied yet. */
  readonly place: TablePlace | null
  /** Resolves when the place is durable. Called before and after each batch. */
  readonly onPlace: (place: TablePlace) => Promise<void>
}

const BATCH_BYTES = 8 * 1024 * 1024
const BATCH_ROWS = 4096
const START: TablePlace = { batches: 0, rows: 0, after: null, through: null }

/**
 * Copies the latest version of each row, in the order of the key. A batch is fixed durably before it is inserted, and
 * inserted under a name: one that was interrupted is repeated with the same rows, which the server stores once. The
 * source MUST NOT change between attempts.
 */
export async function moveTable({ source, target, table, batchPrefix, place, onPlace }: TableMove): Promise<number> {
  const columns = await sharedColumns(source, target, table.name)
  let at = place ?? START
  for (;;) {
    const through = at.through ?? (await endOfBatch(source, table, at.after))
    if (through === null) return at.rows
    if (at.through === null) await onPlace({ ...at, through })
    const rows = await source.select(
      `SELECT ${columns.join(', ')} FROM ${table.name} FINAL ` +
        `WHERE ${conditions(table, at.after, through).join(' AND ')} ORDER BY ${table.key.join(', ')}`,
    )
    const lines = rows.map(
      (row) => `${JSON.stringify(Object.fromEntries(row.map((value, n) => [columns[n], value])))}\n`,
    )
    await target.insert(table.name, Buffer.from(lines.join('')), `${batchPrefix}-${table.name}-${at.batches}`)
    at = { batches: at.batches + 1, rows: at.rows + rows.length, after: through, through: null }
    await onPlace(at)
  }
}

/** The number of rows and their sum of hashes over all columns: equal sums mean equal tables. */
export async function sumOf(
  engine: Pick<TelemetryEngine, 'select'>,
  { name }: MovedTable,
  columns: readonly string[],
): Promise<{ readonly rows: number; readonly hash: string }> {
  const [row] = await engine.select(
    `SELECT count(), toString(sum(cityHash64(${columns.join(', ')}))) FROM ${name} FINAL`,
  )
  const [rows, hash] = row as readonly [number, string]
  return { rows, hash }
}

/** The columns of the table, sorted. Throws when the two schemas differ, because then rows would not be the same. */
export async function sharedColumns(
  source: Pick<TelemetryEngine, 'select'>,
  target: Pick<TelemetryEngine, 'select'>,
  table: string,
): Promise<readonly string[]> {
  const [from, to] = await Promise.all([columnsOf(source, table), columnsOf(target, table)])
  if (from.join() !== to.join()) {
    throw new OperatorError(
      `The table ${table} has the columns ${from.join()} here and ${to.join()} in ClickHouse. Use the same version of Spoor for both.`,
    )
  }
  return from
}

async function columnsOf(engine: Pick<TelemetryEngine, 'select'>, table: string): Promise<readonly string[]> {
  const rows = await engine.select(
    `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = ${text(table)} ORDER BY name`,
  )
  return rows.map(([name]) => name as string)
}

/** The key of the last row of the next batch; null when there is no row. Each version of a row counts. */
async function endOfBatch(
  source: Pick<TelemetryEngine, 'select'>,
  table: MovedTable,
  after: Key | null,
): Promise<Key | null> {
  const where = conditions(table, after, null)
  const rows = await source.select(
    `SELECT ${table.key.join(', ')}, ${table.bytes} FROM ${table.name} ` +
      `${where.length === 0 ? '' : `WHERE ${where.join(' AND ')} `}ORDER BY ${table.key.join(', ')} LIMIT ${BATCH_ROWS}`,
  )
  let bytes = 0
  for (const [index, row] of rows.entries()) {
    bytes += row.at(-1) as number
    if (bytes >= BATCH_BYTES || index === rows.length - 1) return row.slice(0, -1) as Key
  }
  return null
}

/** That a key is after one and not after another, in a form of which the engine's primary index can use the front. */
function conditions({ key }: MovedTable, after: Key | null, through: Key | null): readonly string[] {
  const beyond = (sign: '>' | '<', orEqual: boolean, bound: Key): string =>
    key.reduceRight<string>((rest, column, index) => {
      const value = literal(bound[index])
      return rest === ''
        ? `${column} ${sign}${orEqual ? '=' : ''} ${value}`
        : `(${column} ${sign} ${value} OR (${column} = ${value} AND ${rest}))`
    }, '')
  const [first] = key
  return [
    ...(after === null ? [] : [`${first} >= ${literal(after[0])}`, beyond('>', false, after)]),
    ...(through === null ? [] : [`${first} <= ${literal(through[0])}`, beyond('<', true, through)]),
  ]
}

function literal(value: string | number | undefined): string {
  if (value === undefined) throw new TypeError('a key lacks a value')
  return typeof value === 'number' ? String(value) : text(value)
}

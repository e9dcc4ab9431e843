import { integer, text } from '../engine/literal.ts'
import { type FailedRead, findBadRows, type RowRange } from './bad-rows.ts'
import type { LostRange, LostRow, TraceRowKey } from './damage-record.ts'
import { damageOf } from './read-damage.ts'
import type { SalvageSession } from './salvage-session.ts'
import type { TablePart } from './table-part.ts'

/** Reads rows only: an index may be the broken file, and a cached condition could skip a granule. */
const READ_SETTINGS = 'use_skip_indexes = 0, use_query_condition_cache = 0'

export function offsetsOf({ name }: Pick<TablePart, 'name'>, { from, to }: RowRange): string {
  return `_part = ${text(name)} AND _part_offset >= ${integer(from)} AND _part_offset < ${integer(to)}`
}

/** The rows of a part in which some column cannot be read. */
export async function findBadRowsOf(session: SalvageSession, part: TablePart): Promise<readonly RowRange[]> {
  const granules = await granulesOf(session, part)
  const largest = granules.reduce((rows, { from, to }) => Math.max(rows, to - from), 1)
  // With small blocks, the engine names the failed granule more precisely.
  const settings = `${READ_SETTINGS}, max_block_size = ${largest}`
  return findBadRows(granules, (range) =>
    failureOf(() =>
      session.command(`SELECT * FROM ${part.table} WHERE ${offsetsOf(part, range)} FORMAT Null SETTINGS ${settings}`),
    ),
  )
}

/** Identifying columns of each table whose lost rows are reported. */
const ID_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  traces: ['project_id', 'id', 'ver'],
  steps: ['project_id', 'trace_id', 'position'],
  metric_events: ['project_id', 'trace_id', 'id'],
  metric_points: ['project_id', 'trace_id', 'id'],
}
/** Keeps a line of the record readable. */
const MOST_NAMED = 10_000
/** Rows whose ids are read at once. One bad row makes the whole block unreadable. */
const NAMED_TOGETHER = 128

/** The known facts about lost rows. */
export interface NamedRows {
  readonly lost: readonly LostRow[]
  readonly unnamed: readonly LostRange[]
}

/** Reads the ids of these rows where possible. For rows of `traces` whose ids cannot be read, it gives the range. */
export async function nameRows(
  session: SalvageSession,
  part: TablePart,
  ranges: readonly RowRange[],
): Promise<NamedRows> {
  const columns = ID_COLUMNS[part.table]
  const lost: LostRow[] = []
  const unnamed: LostRange[] = []
  if (columns === undefined) return { lost, unnamed }
  const read = async (range: RowRange) => {
    const sql = `SELECT ${columns.join(', ')} FROM ${part.table} WHERE ${offsetsOf(part, range)} SETTINGS ${READ_SETTINGS}`
    for (const row of await session.select(sql)) {
      lost.push(Object.fromEntries(columns.map((column, at) => [column, row[at] as string | number])))
    }
  }
  for (const range of ranges) {
    const before = lost.length
    for (let at = range.from; at < range.to && lost.length < MOST_NAMED; at += NAMED_TOGETHER) {
      await failureOf(() => read({ from: at, to: Math.min(at + NAMED_TOGETHER, range.to) }))
    }
    const isNamed = lost.length - before === range.to - range.from
    if (!isNamed && part.table === 'traces') unnamed.push(await rangeOf(session, part, range))
  }
  return { lost, unnamed }
}

/** From the primary index, which the engine holds in memory. */
async function rangeOf(session: SalvageSession, part: TablePart, range: RowRange): Promise<LostRange> {
  const granules = await granulesOf(session, part)
  const keys = await session.select(
    `SELECT project_id, id FROM mergeTreeIndex(currentDatabase(), 'traces') WHERE part_name = ${text(part.name)} ORDER BY mark_number`,
  )
  const first = granules.findLastIndex(({ from }) => from <= range.from)
  const last = granules.findIndex(({ to }) => to >= range.to)
  let ver: number | null = null
  await failureOf(async () => {
    const [row] = await session.select(
      `SELECT toInt64(max(ver)) FROM traces WHERE ${offsetsOf(part, range)} SETTINGS ${READ_SETTINGS}`,
    )
    ver = row?.[0] as number
  })
  return { from: keys[first] as unknown as TraceRowKey, to: keys[last + 1] as unknown as TraceRowKey, ver }
}

async function failureOf(read: () => Promise<void>): Promise<FailedRead | null> {
  try {
    await read()
    return null
  } catch (error) {
    const damage = damageOf(error)
    if (damage === null) throw error
    const mark = /from mark (\d+) with/.exec(damage.message)?.[1]
    return { granule: mark === undefined ? null : Number(mark) }
  }
}

/** The rows between adjacent marks, which the engine holds in memory. */
async function granulesOf(session: SalvageSession, { table, name }: TablePart): Promise<readonly RowRange[]> {
  const marks = await session.select(
    `SELECT rows_in_granule FROM mergeTreeIndex(currentDatabase(), ${text(table)}) ` +
      `WHERE part_name = ${text(name)} ORDER BY mark_number`,
  )
  const granules: RowRange[] = []
  for (const [count] of marks) {
    const from = granules.at(-1)?.to ?? 0
    if (count !== 0) granules.push({ from, to: from + (count as number) })
  }
  return granules
}

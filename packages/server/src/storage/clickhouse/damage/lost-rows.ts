import { text } from '../engine/literal.ts'
import type { LostRange, LostRow, TraceRowKey } from './damage-record.ts'
import type { ExclusiveSession } from './exclusive-session.ts'
import { damageOf } from './read-damage.ts'
import type { TablePart } from './table-part.ts'

/** Reads rows only: an index may be the broken file, and a cached condition could skip a granule. */
const READ_SETTINGS = 'SETTINGS use_skip_indexes = 0, use_query_condition_cache = 0'

/** Identifying columns of each table whose lost rows are reported. */
const ID_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  traces: ['project_id', 'id', 'ver'],
  steps: ['project_id', 'trace_id', 'position'],
  metric_events: ['project_id', 'trace_id', 'id'],
  metric_points: ['project_id', 'trace_id', 'id'],
}
/** Keeps a line of the record readable. */
const MOST_NAMED = 10_000

/** The known facts about the rows of a part. */
export interface NamedRows {
  readonly lost: readonly LostRow[]
  readonly unnamed: readonly LostRange[]
}

/** Whether every column of every row can be read. Reads all of them. */
export async function canReadRows(session: ExclusiveSession, { table, name }: TablePart): Promise<boolean> {
  const sql = `SELECT * FROM ${table} WHERE _part = ${text(name)} FORMAT Null ${READ_SETTINGS}`
  return (await unlessDamaged(() => session.command(sql).then(() => true))) ?? false
}

/** Reads the ids of the rows if that is possible. If it is not, or they are too many, it gives ranges of `traces`. */
export async function nameRows(session: ExclusiveSession, part: TablePart): Promise<NamedRows> {
  const columns = ID_COLUMNS[part.table]
  if (columns === undefined) return { lost: [], unnamed: [] }
  const sql = `SELECT ${columns.join(', ')} FROM ${part.table} WHERE _part = ${text(part.name)} LIMIT ${MOST_NAMED} ${READ_SETTINGS}`
  const rows = (await unlessDamaged(() => session.select(sql))) ?? []
  const lost = rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at] as string | number])))
  const isNamed = lost.length === part.rows || part.table !== 'traces'
  return { lost, unnamed: isNamed ? [] : await rangesOf(session, part) }
}

/** From the primary index, which the engine holds in memory: neighbours of one project are one range. */
async function rangesOf(session: ExclusiveSession, { name }: TablePart): Promise<readonly LostRange[]> {
  const keys = await session.select(
    `SELECT project_id, id FROM mergeTreeIndex(currentDatabase(), 'traces') WHERE part_name = ${text(name)} ORDER BY mark_number`,
  )
  const ver = await greatestVersion(session, name)
  const ranges: LostRange[] = []
  for (const [at, key] of keys.entries()) {
    const [from, to] = [keys[at - 1], key] as unknown as [TraceRowKey | undefined, TraceRowKey]
    if (from === undefined) continue
    const last = ranges.at(-1)
    if (last !== undefined && last.from[0] === to[0]) ranges[ranges.length - 1] = { ...last, to }
    else ranges.push({ from, to, ver })
  }
  return ranges
}

/** Of the part; if that cannot be read, of all other parts: a version that is stored now is older than a lost one. */
async function greatestVersion(session: ExclusiveSession, name: string): Promise<number> {
  const read = async (condition: string) => {
    const [row] = await session.select(`SELECT toInt64(max(ver)) FROM traces WHERE ${condition} ${READ_SETTINGS}`)
    return row?.[0] as number
  }
  const own = await unlessDamaged(() => read(`_part = ${text(name)}`))
  return own ?? (await read(`_part != ${text(name)}`))
}

async function unlessDamaged<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    if (damageOf(error) === null) throw error
    return null
  }
}

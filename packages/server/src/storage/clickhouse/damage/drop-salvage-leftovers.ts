import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { putBack, type WritingSession } from './put-back.ts'
import { copiedPart } from './salvage-copy.ts'
import { activeParts } from './table-part.ts'

type Engine = Pick<TelemetryEngine, 'select' | 'command'>

/**
 * Finishes salvages that a crash or a full disk interrupted (salvage-part.ts), while nothing else is written. Copies
 * are dropped; if the damaged part was detached, the copy's missing rows are inserted into the table first. Idempotent,
 * also after an interruption. Rejects, and keeps the copy, while they cannot be inserted.
 */
export async function dropSalvageLeftovers(engine: WritingSession): Promise<void> {
  // Rows of a torn part would count as being in the table.
  await engine.drop?.([])
  const tables = await engine.select('SELECT name FROM system.tables WHERE database = currentDatabase()')
  for (const [name] of tables) {
    const copy = name as string
    const part = copiedPart(copy)
    if (part === null) continue
    if (await isDetached(engine, part)) await insertMissing(engine, copy, part.table)
    await engine.command(`DROP TABLE ${copy} SYNC`)
  }
}

/**
 * Whether the part is missing from the table because it was detached (by a salvage, or by the engine at the start
 * because it was broken), and not because a merge took its rows.
 */
async function isDetached(
  engine: Engine,
  { table, name }: { readonly table: string; readonly name: string },
): Promise<boolean> {
  const ofTable = `table = ${text(table)}`
  const active = await activeParts(engine, `${ofTable} AND name = ${text(name)}`)
  if (active.length > 0) return false
  const detached = await engine.select(
    `SELECT 1 FROM system.detached_parts WHERE database = currentDatabase() AND ${ofTable} ` +
      `AND (name = ${text(name)} OR endsWith(name, ${text(`_${name}`)}))`,
  )
  return detached.length > 0
}

/** Rows are equal when their key and version are. */
async function insertMissing(engine: WritingSession, copy: string, table: string): Promise<void> {
  const [row] = await engine.select(
    `SELECT sorting_key, engine = 'ReplacingMergeTree' FROM system.tables WHERE database = currentDatabase() AND name = ${text(table)}`,
  )
  const [key, hasVersions] = row as [string, number]
  const identity = `sipHash128(${key}${hasVersions === 1 ? ', ver' : ''})`
  const partitions = `SELECT _partition_id FROM ${copy}`
  await putBack(
    engine,
    table,
    `INSERT INTO ${table} SELECT * FROM ${copy} WHERE ${identity} NOT IN ` +
      `(SELECT ${identity} FROM ${table} WHERE _partition_id IN (${partitions})) ` +
      'SETTINGS max_threads = 1, max_insert_threads = 1, max_partitions_per_insert_block = 0, optimize_on_insert = 0',
  )
}

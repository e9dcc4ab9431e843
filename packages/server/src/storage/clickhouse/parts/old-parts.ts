import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * How long the engine keeps parts after merging them, seconds: many times what it takes to flush and check the merged
 * part (parts-keeper.ts). The engine's default of eight minutes would need several times the space of the data, and
 * memory for each part.
 */
export const OLD_PARTS_SECONDS = 60

/** Sets this time on tables from older versions, and resets it where damage had extended it. */
export async function keepOldParts(engine: TelemetryEngine): Promise<void> {
  const setting = `old_parts_lifetime = ${OLD_PARTS_SECONDS}`
  const tables = await engine.select(
    `SELECT name FROM system.tables WHERE database = currentDatabase() ` +
      `AND engine_full LIKE '%old_parts_lifetime%' AND engine_full NOT LIKE ${text(`%${setting},%`)}`,
  )
  for (const [table] of tables) await engine.command(`ALTER TABLE ${table as string} MODIFY SETTING ${setting}`)
}

/** Whether the engine still keeps files of parts that were replaced or dropped until this time, milliseconds. */
export async function keepsPartsRemovedBy(engine: TelemetryEngine, time: number): Promise<boolean> {
  const [any] = await engine.select(
    `SELECT 1 FROM system.parts WHERE database = currentDatabase() AND NOT active ` +
      `AND remove_time <= fromUnixTimestamp(${Math.ceil(time / 1000)}) LIMIT 1`,
  )
  return any !== undefined
}

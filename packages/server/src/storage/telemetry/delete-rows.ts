import { text } from './literal.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

/**
 * The distinct values of `column` among the rows that match. When there are any, asks the engine to delete those rows; it does so in its own time, as a
 * mutation of every part that holds one, and is not asked again while it is at it.
 */
export async function deleteRows(
  engine: TelemetryEngine,
  table: 'traces' | 'steps' | 'metric_events' | 'metric_points',
  column: string,
  condition: string,
): Promise<readonly unknown[]> {
  const found = await engine.select(`SELECT DISTINCT ${column} FROM ${table} WHERE ${condition}`)
  if (found.length === 0) return []
  const [busy] = await engine.select(
    `SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND table = ${text(table)} AND NOT is_done LIMIT 1`,
  )
  if (busy === undefined)
    await engine.command(`DELETE FROM ${table} WHERE ${condition} SETTINGS lightweight_deletes_sync = 0`)
  return found.map(([value]) => value)
}

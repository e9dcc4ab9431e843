import { OperatorError } from '../../../lib/operator-error.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { orderPointsByMinute } from './order-points-by-minute.ts'
import { EMBEDDED_DIALECT, OLD_PARTS_SECONDS, TELEMETRY_SCHEMA_VERSION, telemetrySchema } from './telemetry-schema.ts'

/** Which lacks tables that the newest has, and none of whose columns mean something else. */
const OLDEST_TO_UPGRADE = 2

/**
 * Gives an empty store, or an older one, the newest schema. Its number is kept beside the tables, so that a store that it does not know is never touched: throws
 * OperatorError for it.
 */
export async function openTelemetrySchema(engine: TelemetryEngine): Promise<void> {
  await engine.command(
    'CREATE TABLE IF NOT EXISTS schema_versions (version UInt32) ENGINE = MergeTree ORDER BY version',
  )
  const [row] = await engine.select('SELECT max(version) FROM schema_versions')
  const found = row?.[0] as number
  if (found > TELEMETRY_SCHEMA_VERSION) {
    throw new OperatorError(
      `The traces in the data directory were written by a newer version of Spoor (schema ${found}; this one knows ${TELEMETRY_SCHEMA_VERSION}). ` +
        'Start that version or a newer one, or restore a backup from before the upgrade.',
    )
  }
  if (found === TELEMETRY_SCHEMA_VERSION) return keepOldParts(engine)
  if (found > 0 && found < OLDEST_TO_UPGRADE) {
    throw new OperatorError(
      `The traces in the data directory were written by a development version of Spoor from before its first release (schema ${found}; ` +
        `this one knows ${TELEMETRY_SCHEMA_VERSION}), which it cannot bring up to date. Start with another --data-dir, or move this one away.`,
    )
  }
  for (const statement of telemetrySchema(EMBEDDED_DIALECT)) await engine.command(statement)
  await orderPointsByMinute(engine)
  await engine.insert('schema_versions', Buffer.from(`{"version":${TELEMETRY_SCHEMA_VERSION}}\n`))
  await keepOldParts(engine)
}

/** Tables that an older version made, and those where damage was found, keep them for another time. */
async function keepOldParts(engine: TelemetryEngine): Promise<void> {
  const setting = `old_parts_lifetime = ${OLD_PARTS_SECONDS}`
  const tables = await engine.select(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine_full LIKE '%old_parts_lifetime%' AND engine_full NOT LIKE ${text(`%${setting},%`)}`,
  )
  for (const [table] of tables) await engine.command(`ALTER TABLE ${table as string} MODIFY SETTING ${setting}`)
}

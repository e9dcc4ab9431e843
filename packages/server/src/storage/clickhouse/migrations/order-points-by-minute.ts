import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { metricPointsNamed } from './telemetry-schema.ts'

const COPY = 'metric_points_copy'
/** A tenth of what the engine would gather before it writes: with all columns that is beyond the memory of a small process. */
const COPIED_ROWS = 100_000

/**
 * Brings `metric_points` of a store up to schema 3, where rows lie by `at` and have no `minute`, into the present order: in a copy that takes the place of the table when it is whole.
 * Takes seconds for a million rows, and as much disk again. To be run again when it broke off.
 */
export async function orderPointsByMinute(engine: TelemetryEngine): Promise<void> {
  const columns = await engine.select(
    `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'metric_points'`,
  )
  const names = columns.map(([name]) => name as string)
  if (!names.includes('minute')) {
    await engine.command(`DROP TABLE IF EXISTS ${COPY} SYNC`)
    await engine.command(metricPointsNamed(COPY))
    await engine.command(
      `INSERT INTO ${COPY} (${names.join(', ')}) SELECT ${names.join(', ')} FROM metric_points ` +
        `SETTINGS max_threads = 1, max_insert_threads = 1, max_partitions_per_insert_block = 0, ` +
        `min_insert_block_size_rows = ${COPIED_ROWS}, min_insert_block_size_bytes = 0`,
    )
    await engine.command(`EXCHANGE TABLES metric_points AND ${COPY}`)
  }
  await engine.command(`DROP TABLE IF EXISTS ${COPY} SYNC`)
}

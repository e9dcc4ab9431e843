import type { Sums } from '../../cluster/backup-record.ts'
import { integer } from '../engine/literal.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** What names a row. */
const KEYS = {
  traces: 'id',
  steps: 'trace_id, position',
  metric_events: 'trace_id, id',
  metric_points: 'metric_id, id',
} as const

/** Of the rows of commits through this one that no later commit has replaced. Reads these columns of all rows. */
export async function sumRows(shards: readonly TelemetryEngine[], through: number): Promise<Sums> {
  const sums: Record<string, { rows: number; hash: bigint }> = {}
  for (const [table, keys] of Object.entries(KEYS)) {
    const sql =
      `SELECT _partition_id, count(), toString(sum(cityHash64(${keys}, ver))) FROM ${table} FINAL ` +
      `WHERE ver <= ${integer(through)} GROUP BY _partition_id`
    const found = await Promise.all(shards.map((shard) => shard.select(sql)))
    for (const row of found.flat()) {
      const [month, rows, hash] = row as readonly [string, number, string]
      const sum = (sums[`${table} of ${month}`] ??= { rows: 0, hash: 0n })
      sum.rows += rows
      sum.hash += BigInt(hash)
    }
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, { ...sum, hash: String(sum.hash) }]))
}

import type { Sums } from '../../cluster/backup-record.ts'
import { integer, text } from '../engine/literal.ts'
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
  for (const [table, keys] of Object.entries(KEYS))
    for (const shard of shards)
      for (const month of await partitionsOf(shard, table)) {
        const [row] = await shard.select(
          `SELECT count(), toString(sum(cityHash64(${keys}, ver))) FROM ${table} FINAL ` +
            `WHERE _partition_id = ${text(month)} AND ver <= ${integer(through)}`,
        )
        const [rows, hash] = row as readonly [number, string]
        if (rows === 0) continue
        const sum = (sums[`${table} of ${month}`] ??= { rows: 0, hash: 0n })
        sum.rows += rows
        sum.hash += BigInt(hash)
      }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, { ...sum, hash: String(sum.hash) }]))
}

/** One statement for each: the time of a statement is limited. */
async function partitionsOf(shard: TelemetryEngine, table: string): Promise<readonly string[]> {
  const rows = await shard.select(
    'SELECT DISTINCT partition_id FROM system.parts ' +
      `WHERE database = currentDatabase() AND table = ${text(table)} AND active ORDER BY partition_id`,
  )
  return rows.map(([id]) => id as string)
}

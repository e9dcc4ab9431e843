import { OperatorError } from '../../../../lib/operator-error.ts'
import type { TelemetryEngine } from '../../engine/telemetry-engine.ts'

/** Which traces are on a server: with other weights, or in another order, they would be looked for elsewhere. */
export interface ShardPlace {
  /** From 1, as in `system.clusters`. */
  readonly number: number
  /** Of all shards, see ClusterShape. */
  readonly weights: readonly number[]
}

const TABLE =
  'CREATE TABLE IF NOT EXISTS shard_place (number UInt32, weights Array(UInt32)) ENGINE = MergeTree ORDER BY number ' +
  'SETTINGS fsync_after_insert = 1, fsync_part_directory = 1'

/** Records the place of a new shard. Throws OperatorError when the rows of a shard were divided in another way. */
export async function keepShardPlace(shard: TelemetryEngine, place: ShardPlace): Promise<void> {
  await shard.command(TABLE)
  const [row] = await shard.select('SELECT number, weights FROM shard_place LIMIT 1')
  if (row === undefined) {
    await shard.insert('shard_place', Buffer.from(`${JSON.stringify(place)}\n`))
    return
  }
  const [number, weights] = row as readonly [number, readonly number[]]
  if (number === place.number && weights.join() === place.weights.join()) return
  throw new OperatorError(
    `ClickHouse: a server has the rows of ${described({ number, weights })}, but is now ${described(place)}. ` +
      'Restore the order, number and weights of the shards in remote_servers; to change them, copy the traces into a new database: docs/operate/cluster.md says how.',
  )
}

function described({ number, weights }: ShardPlace): string {
  return `shard ${number} of ${weights.length} (weights ${weights.join(', ')})`
}

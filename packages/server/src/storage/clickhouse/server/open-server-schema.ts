import { openTelemetrySchema, type SchemaOptions } from '../migrations/open-telemetry-schema.ts'
import { heldByDataLock, type SchemaLease } from '../migrations/schema-lease.ts'
import type { PreparedServer } from './prepare-server.ts'
import { keepShardPlace } from './shards/shard-place.ts'
import { spreadTables } from './shards/spread-tables.ts'

/**
 * Brings the tables on a server, or on each of several shards, to the latest schema: see openTelemetrySchema. Tables of
 * a shard are migrated before those over all shards follow them.
 */
export async function openServerSchema(
  { engine, dialect, shards, spread }: PreparedServer,
  lease: SchemaLease = heldByDataLock,
): Promise<void> {
  const options: Pick<SchemaOptions, 'dialect' | 'place'> = { dialect, place: 'ClickHouse' }
  if (spread === null) return openTelemetrySchema(engine, { ...options, lease })
  await lease(async (lost) => {
    const { weights, ...tables } = spread
    for (const [index, shard] of shards.entries()) {
      lost.throwIfAborted()
      await keepShardPlace(shard, { number: index + 1, weights })
    }
    for (const shard of shards) await openTelemetrySchema(shard, { ...options, lease: (work) => work(lost) })
    for (const shard of shards) {
      lost.throwIfAborted()
      await spreadTables(shard, tables)
    }
  })
}

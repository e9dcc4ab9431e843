import { OperatorError } from '../../../../lib/operator-error.ts'
import { text } from '../../engine/literal.ts'
import type { TelemetryEngine } from '../../engine/telemetry-engine.ts'

/**
 * What rows are divided by among the shards. All rows of a trace are on one, so a subquery, a join and FINAL need only
 * the rows of their shard.
 */
const SHARDED_BY = { traces: 'id', steps: 'trace_id', metric_events: 'trace_id', metric_points: 'trace_id' } as const

export interface SpreadTables {
  readonly cluster: string
  /** Of the tables over all shards. */
  readonly database: string
  /** Of the tables with the rows of one shard, under the same names. */
  readonly local: string
}

/** The database with the rows of one shard. */
export function localDatabaseOf(database: string): string {
  return `${database}_local`
}

/**
 * Makes the tables over all shards on one server, with the columns that its own tables have now. `shard`: that server.
 * They hold nothing themselves, so they are replaced when a migration has changed a column.
 */
export async function spreadTables(shard: TelemetryEngine, { cluster, database, local }: SpreadTables): Promise<void> {
  for (const [table, id] of Object.entries(SHARDED_BY)) {
    const columnsIn = (place: string) =>
      shard.select(
        `SELECT name, type, default_kind, default_expression FROM system.columns ` +
          `WHERE database = ${text(place)} AND table = ${text(table)} ORDER BY position`,
      )
    const [own, spread] = await Promise.all([columnsIn(local), columnsIn(database)])
    if (JSON.stringify(own) === JSON.stringify(spread)) continue
    await shard.command(
      `CREATE OR REPLACE TABLE ${database}.${table} AS ${local}.${table} ` +
        `ENGINE = Distributed(${cluster}, ${local}, ${table}, cityHash64(${id}))`,
    )
  }
}

/** Throws OperatorError when a table in `database` has rows of its own: it was made for one server. */
export async function refuseUnspread(engine: Pick<TelemetryEngine, 'select'>, database: string): Promise<void> {
  const [other] = await engine.select(
    `SELECT 1 FROM system.tables WHERE database = ${text(database)} AND name = 'traces' AND engine != 'Distributed'`,
  )
  if (other === undefined) return
  throw new OperatorError(
    `The database ${database} in ClickHouse has the tables of one server, not of shards. Name a new one with SPOOR_CLICKHOUSE_DATABASE and copy the traces: docs/operate/cluster.md says how.`,
  )
}

/** Throws OperatorError when the tables in this engine's database are spread over shards. */
export async function refuseSpread(engine: Pick<TelemetryEngine, 'select'>): Promise<void> {
  const [spread] = await engine.select(
    `SELECT 1 FROM system.tables WHERE database = currentDatabase() AND name = 'traces' AND engine = 'Distributed'`,
  )
  if (spread === undefined) return
  throw new OperatorError(
    'The tables in ClickHouse are spread over the shards of a cluster: name it with SPOOR_CLICKHOUSE_CLUSTER, and each shard with SPOOR_CLICKHOUSE_URL.',
  )
}

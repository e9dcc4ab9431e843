import { DomainError } from '../../../lib/domain-error.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from './clickhouse-server-engine.ts'
import { createDatabase } from './create-database.ts'
import { firstAnswer } from './first-answer.ts'
import { ServerError } from './server-connection.ts'
import { type ClusterShape, readClusterShape } from './shards/cluster-shape.ts'
import { prepareShards } from './shards/prepare-shards.ts'
import { localDatabaseOf, refuseSpread, type SpreadTables } from './shards/spread-tables.ts'
import { clusterDialect, REPLICATED_DATABASE, SHARED_STORAGE, SINGLE_SERVER } from './server-dialects.ts'

/** A Cloud service that sleeps needs half a minute to wake up. */
const PATIENCE_MS = 90_000
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
/** Databases in which tables can be exchanged. */
const DATABASE_ENGINES: ReadonlySet<unknown> = new Set(['Atomic', 'Replicated', 'Shared'])

/** Codes of answers that the operator must change something about. */
const REFUSALS: ReadonlySet<number> = new Set([
  164, // READONLY
  192, // UNKNOWN_USER
  193, // WRONG_PASSWORD
  194, // REQUIRED_PASSWORD
  452, // SETTING_CONSTRAINT_VIOLATION
  497, // ACCESS_DENIED
  516, // AUTHENTICATION_FAILED
])

export interface PreparedServer {
  /** Reads and inserts all rows. */
  readonly engine: TelemetryEngine
  /** Servers with rows of their own, for what is done to the tables of each: `engine` alone, or several shards. */
  readonly shards: readonly TelemetryEngine[]
  readonly dialect: TelemetryDialect
  readonly version: string
  /** Where the tables over several shards are; null for one. */
  readonly spread: (SpreadTables & Pick<ClusterShape, 'weights'>) | null
}

export interface PrepareOptions {
  readonly cluster: string | null
  /** With several shards, an address of each in their order; else the one of the options. */
  readonly urls: readonly string[]
  readonly patienceMs: number
}

/**
 * Waits until the server answers, checks its version, creates the database if it is missing, and finds out how tables
 * are created there. The same for each shard of a cluster that has several. Throws OperatorError when a server is not
 * there, too old, or refuses the user.
 */
export async function prepareServer(
  options: ClickHouseServerOptions,
  { cluster = null, urls = [options.url], patienceMs = PATIENCE_MS }: Partial<PrepareOptions> = {},
): Promise<PreparedServer> {
  const { database } = options
  for (const name of [database, cluster ?? 'none'])
    if (!NAME.test(name))
      throw new OperatorError(`ClickHouse: the name ${JSON.stringify(name)} must consist of letters, digits and _.`)
  const { onReadError: _retried, ...quietly } = options
  const withoutDatabase = openClickHouseServer({ ...quietly, database: 'default' })
  try {
    const version = await firstAnswer(withoutDatabase, patienceMs)
    const shape = cluster === null ? null : await readClusterShape(withoutDatabase, cluster)
    if (cluster !== null && shape !== null && Math.max(shape.weights.length, urls.length) > 1) {
      const prepared = await prepareShards({ ...options, cluster, urls, patienceMs }, shape)
      const tables = { cluster, database, local: localDatabaseOf(database), weights: shape.weights }
      return { ...prepared, version, dialect: SINGLE_SERVER, spread: tables }
    }
    await createDatabase(withoutDatabase, database, cluster === null ? '' : ` ON CLUSTER ${cluster}`)
    return { version, ...(await prepareOne(options, cluster, shape)) }
  } catch (error) {
    throw toOperatorError(error, options.user)
  } finally {
    await withoutDatabase.close()
  }
}

async function prepareOne(
  options: ClickHouseServerOptions,
  cluster: string | null,
  shape: ClusterShape | null,
): Promise<Omit<PreparedServer, 'version'>> {
  const engine = openClickHouseServer(options)
  try {
    const dialect = await findDialect(engine, cluster, shape?.replicas ?? 0)
    await refuseSpread(engine)
    return { engine, shards: [engine], dialect, spread: null }
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** In the order of doubt: a Cloud service and a `Replicated` database are seen, else it is what the operator named. */
async function findDialect(
  engine: TelemetryEngine,
  cluster: string | null,
  replicas: number,
): Promise<TelemetryDialect> {
  const [row] = await engine.select(
    `SELECT engine, (SELECT count() FROM system.table_engines WHERE name = 'SharedMergeTree') ` +
      'FROM system.databases WHERE name = currentDatabase()',
  )
  const [databaseEngine, shared] = row ?? []
  if (!DATABASE_ENGINES.has(databaseEngine))
    throw new OperatorError(
      `ClickHouse: the database has the engine ${String(databaseEngine)}, in which tables cannot be exchanged. Name a new database, or one of engine Atomic or Replicated.`,
    )
  if (shared === 1) return SHARED_STORAGE
  if (databaseEngine === 'Replicated') return REPLICATED_DATABASE
  return cluster === null ? SINGLE_SERVER : clusterDialect(cluster, replicas > 1)
}

function toOperatorError(error: unknown, user: string): unknown {
  if (error instanceof OperatorError) return error
  const cause = error instanceof DomainError ? error.cause : error
  if (cause instanceof ServerError) {
    if (!REFUSALS.has(cause.clickhouseCode)) return error
    return new OperatorError(
      `ClickHouse refuses the user ${user}: ${cause.message}. Spoor's user must be able to create and change the tables of its database, and to change settings.`,
      { cause },
    )
  }
  if (!(error instanceof DomainError) || !(cause instanceof Error)) return error
  return new OperatorError(`ClickHouse cannot be reached: ${cause.message}`, { cause })
}

import { DomainError } from '../../../lib/domain-error.ts'
import { OperatorError } from '../../../lib/operator-error.ts'
import { text } from '../engine/literal.ts'
import type { TelemetryDialect } from '../engine/telemetry-dialect.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'
import { type ClickHouseServerOptions, openClickHouseServer } from './clickhouse-server-engine.ts'
import { ServerError } from './server-connection.ts'
import { clusterDialect, REPLICATED_DATABASE, SHARED_STORAGE, SINGLE_SERVER } from './server-dialects.ts'

/** Text indexes work as Spoor needs them from this version. */
const OLDEST = [26, 2] as const
/** A Cloud service that sleeps needs half a minute to wake up. */
const PATIENCE_MS = 90_000
const TRY_EVERY_MS = 1000
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
  readonly engine: TelemetryEngine
  readonly dialect: TelemetryDialect
  readonly version: string
}

/**
 * Waits until the server answers, checks its version, creates the database if it is missing, and finds out how tables
 * are created there. Throws OperatorError when the server is not there, too old, or refuses the user.
 */
export async function prepareServer(
  options: ClickHouseServerOptions,
  { cluster = null, patienceMs = PATIENCE_MS }: { cluster?: string | null; patienceMs?: number } = {},
): Promise<PreparedServer> {
  const { database } = options
  for (const name of [database, cluster ?? 'none'])
    if (!NAME.test(name))
      throw new OperatorError(`ClickHouse: the name ${JSON.stringify(name)} must consist of letters, digits and _.`)
  const { onReadError: _retried, ...quietly } = options
  const withoutDatabase = openClickHouseServer({ ...quietly, database: 'default' })
  const engine = openClickHouseServer(options)
  try {
    const version = await firstAnswer(withoutDatabase, patienceMs)
    refuseOld(version)
    const replicas = cluster === null ? 0 : await countReplicas(withoutDatabase, cluster)
    await createDatabase(withoutDatabase, database, cluster)
    return { engine, version, dialect: await findDialect(engine, cluster, replicas) }
  } catch (error) {
    await engine.close()
    throw toOperatorError(error, options.user)
  } finally {
    await withoutDatabase.close()
  }
}

async function firstAnswer(engine: TelemetryEngine, patienceMs: number): Promise<string> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      const [row] = await engine.select('SELECT version()')
      return row?.[0] as string
    } catch (error) {
      const mayPass = error instanceof DomainError && !(error.cause instanceof ServerError)
      if (!mayPass || performance.now() > until) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, TRY_EVERY_MS))
  }
}

/** Exported for its test: the only server that can be started in tests is new enough. */
export function refuseOld(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new OperatorError(`ClickHouse ${version} is too old: Spoor needs ${OLDEST.join('.')} or later.`)
}

async function countReplicas(engine: TelemetryEngine, cluster: string): Promise<number> {
  const [row] = await engine.select(`SELECT max(replica_num) FROM system.clusters WHERE cluster = ${text(cluster)}`)
  const count = row?.[0] as number
  if (count === 0)
    throw new OperatorError(`ClickHouse has no cluster ${cluster}: look in system.clusters for those that it has.`)
  return count
}

async function createDatabase(engine: TelemetryEngine, database: string, cluster: string | null): Promise<void> {
  const there = await engine.select(`SELECT 1 FROM system.databases WHERE name = ${text(database)}`)
  if (there.length > 0) return
  await engine.command(`CREATE DATABASE IF NOT EXISTS ${database}${cluster === null ? '' : ` ON CLUSTER ${cluster}`}`)
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

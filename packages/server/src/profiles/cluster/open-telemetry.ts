import type { ClickHouseConfig } from '../../config/cluster-config.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { LeaseStore } from '../../ports/leases/lease-store.ts'
import { whileLeased } from '../../ports/leases/while-leased.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { adviseOnIdleLogs } from '../../storage/clickhouse/server/idle-logs.ts'
import { openServerSchema } from '../../storage/clickhouse/server/open-server-schema.ts'
import { type PreparedServer, prepareServer } from '../../storage/clickhouse/server/prepare-server.ts'
import { type ClusterTelemetry, openClusterTelemetry } from '../../storage/cluster/open-cluster-telemetry.ts'
import type { PostgresqlDatabase } from '../../storage/sql/kit/postgresql-database.ts'
import type { Environment } from '../start/environment.ts'
import type { Parts } from '../start/parts.ts'
import type { Servers } from './watch-servers.ts'

interface TelemetryOptions extends Environment {
  readonly clickhouse: ClickHouseConfig
  readonly ca: readonly string[] | null
  readonly holder: string
  readonly database: PostgresqlDatabase<unknown>
  readonly leases: LeaseStore
  readonly ids: IdGenerator
  /** Runs each read of ClickHouse. */
  readonly around: <T>(read: () => Promise<T>) => Promise<T>
}

interface Telemetry
  extends
    Pick<ClusterTelemetry, 'log' | 'store' | 'settler' | 'timeline'>,
    Pick<PreparedServer, 'engine' | 'shards'>,
    Pick<Servers, 'usesClickHouse'> {}

/** Reads of this node that ClickHouse answers at the same time. */
const READERS = 8

/** Traces in ClickHouse, behind the log in PostgreSQL. */
export async function openTelemetry(
  { config, logger, clickhouse, ca, holder, database, leases, ids, around }: TelemetryOptions,
  parts: Parts,
): Promise<Telemetry> {
  const { cluster, urls, ...account } = clickhouse
  let hasFailed = false
  const onReadError = (error: unknown) => {
    hasFailed = true
    logger.error({ error }, 'ClickHouse could not answer a read')
  }
  const connect = () =>
    prepareServer({ ...account, url: urls[0] as string, ca, readers: READERS, onReadError }, { cluster, urls })
  const prepared = await parts.start('ClickHouse', connect, (server) => server.engine.close())
  await openServerSchema(prepared, (work) =>
    whileLeased({ leases, timers: systemTimers, name: 'schema of ClickHouse', holder }, work),
  )
  const { dialect, shards } = prepared
  const engine = { ...prepared.engine, select: (sql: string) => around(() => prepared.engine.select(sql)) }
  const advice = await adviseOnIdleLogs(engine)
  if (advice !== null) logger.warn(advice)
  let log: ClusterTelemetry['log'] | null = null
  const settled = new ClickHouseTraceStore(engine, {
    idLeadMs: () => log?.watermark().idLeadMs ?? 0,
    catchUp: dialect.catchUp,
    shards,
  })
  const open = async () => {
    const telemetry = await openClusterTelemetry({
      database,
      leases,
      settled,
      holder,
      timers: systemTimers,
      fullText: config.fullText,
      pause: (ms) => new Promise((wake) => systemTimers.after(ms, wake)),
      newCommitId: () => systemRandomBytes(16),
      startIdsAfter: (id) => ids.startAfter(id),
      onError: (error, message) => logger.error({ error }, message),
      onRecovered: (part) => logger.warn({ part }, 'works again'),
    })
    telemetry.start()
    return telemetry
  }
  const telemetry = await parts.start('log', open, (opened) => opened.close())
  log = telemetry.log
  await settled
    .preparePurge()
    .catch((error: unknown) => logger.warn({ error }, 'deleted traces are not purged until ClickHouse takes commands'))
  const usesClickHouse = () => {
    const isInDoubt = hasFailed
    hasFailed = false
    return isInDoubt || telemetry.store.unsettled.length > 0
  }
  return { ...telemetry, engine, shards, usesClickHouse }
}

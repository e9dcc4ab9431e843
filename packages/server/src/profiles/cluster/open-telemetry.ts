import type { ClickHouseConfig } from '../../config/cluster-config.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { LeaseStore } from '../../ports/leases/lease-store.ts'
import { whileLeased } from '../../ports/leases/while-leased.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import { adviseOnIdleLogs } from '../../storage/clickhouse/server/idle-logs.ts'
import { openServerSchema } from '../../storage/clickhouse/server/open-server-schema.ts'
import { type PreparedServer, prepareServer } from '../../storage/clickhouse/server/prepare-server.ts'
import type { LogHead } from '../../storage/cluster/log-head.ts'
import { type ClusterTelemetry, openClusterTelemetry } from '../../storage/cluster/open-cluster-telemetry.ts'
import type { PostgresqlDatabase } from '../../storage/sql/kit/postgresql-database.ts'
import type { Environment } from '../start/environment.ts'
import type { Logger } from '../../operation/logging.ts'
import type { OneLease } from '../../operation/one-lease.ts'
import type { Parts } from '../start/parts.ts'
import { type Rounds, startRounds } from '../start/rounds.ts'
import { isAway, LateServer } from './late-server.ts'
import type { Servers } from './watch-servers.ts'

interface TelemetryOptions extends Environment {
  readonly clickhouse: ClickHouseConfig
  readonly ca: readonly string[] | null
  readonly holder: string
  readonly database: PostgresqlDatabase<unknown>
  readonly leases: LeaseStore
  readonly oneLease: Pick<OneLease, 'held'>
  readonly onHead: (head: LogHead) => void
  /** As ClusterTelemetryOptions.own. */
  readonly own: () => readonly number[]
  readonly ids: IdGenerator
  /** Runs each read of ClickHouse. */
  readonly around: <T>(read: () => Promise<T>) => Promise<T>
}

interface Telemetry
  extends
    Pick<ClusterTelemetry, 'log' | 'store' | 'settler' | 'timeline'>,
    Pick<PreparedServer, 'engine' | 'shards'>,
    Pick<Servers, 'usesClickHouse'> {}

/** Of a start; one without an answer goes on without ClickHouse. */
const PATIENCE_MS = 10_000
/** Reads of this node that ClickHouse answers at the same time. */
const READERS = 8
const AGAIN_MS = 2000

/** Traces in ClickHouse, behind the log in PostgreSQL. */
export async function openTelemetry(
  { config, logger, clickhouse, ca, holder, database, leases, oneLease, onHead, own, ids, around }: TelemetryOptions,
  parts: Parts,
): Promise<Telemetry> {
  const { cluster, urls, ...account } = clickhouse
  let hasFailed = false
  const onReadError = (error: unknown) => {
    hasFailed = true
    logger.error({ error }, 'ClickHouse could not answer a read')
  }
  const server = await parts.start('ClickHouse', () => new LateServer(urls.length))
  /** Rejects as prepareServer does. */
  const prepare = async (patienceMs: number): Promise<PreparedServer> => {
    const options = { ...account, url: urls[0] as string, ca, readers: READERS, onReadError }
    const prepared = await prepareServer(options, { cluster, urls, patienceMs })
    try {
      await openServerSchema(prepared, (work) =>
        whileLeased({ leases, timers: systemTimers, name: 'schema of ClickHouse', holder }, work),
      )
      const advice = await adviseOnIdleLogs(prepared.engine)
      if (advice !== null) logger.warn(advice)
      return prepared
    } catch (error) {
      await prepared.engine.close()
      throw error
    }
  }
  const first = await prepare(PATIENCE_MS).catch((error: unknown) => {
    if (!isAway(error)) throw error
    logger.error({ error }, 'this node starts without ClickHouse, which does not answer')
    return null
  })
  if (first !== null) await server.open(first)
  const { shards } = server
  const engine = {
    ...server.engine,
    select: (sql: string) => around(() => server.engine.select(sql)),
    selectParquet: (sql: string) => around(() => server.engine.selectParquet(sql)),
  }
  let log: ClusterTelemetry['log'] | null = null
  const idLeadMs = () => log?.watermark().idLeadMs ?? 0
  const settled = new ClickHouseTraceStore(engine, { idLeadMs, catchUp: server.catchUp, shards })
  const open = async () => {
    const telemetry = await openClusterTelemetry({
      database,
      lease: () => oneLease.held,
      onHead,
      own,
      settled,
      isReadable: server.isOpen,
      timers: systemTimers,
      clock: systemClock,
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
  const telemetry = await parts.start('log', open)
  log = telemetry.log
  const preparePurge = () =>
    settled
      .preparePurge()
      .catch((error: unknown) =>
        logger.warn({ error }, 'deleted traces are not purged until ClickHouse takes commands'),
      )
  if (first !== null) await preparePurge()
  else {
    const openLate = async () => {
      const prepared = await prepare(0)
      const { catchUp } = prepared.dialect
      await telemetry.compare(new ClickHouseTraceStore(prepared.engine, { ...prepared, idLeadMs, catchUp }))
      await server.open(prepared)
      await preparePurge()
    }
    await parts.start('start of ClickHouse', () => untilItAnswers(openLate, logger))
  }
  const usesClickHouse = () => {
    const isInDoubt = hasFailed
    hasFailed = false
    return isInDoubt || !server.isOpen || telemetry.store.unsettled.length > 0
  }
  return { ...telemetry, engine, shards, usesClickHouse }
}

/** Repeats `open` until it succeeds. Any failure but a lack of an answer ends the process, as it ends a start. */
function untilItAnswers(open: () => Promise<void>, logger: Logger): Rounds {
  const rounds = startRounds(AGAIN_MS, logger, async () => {
    try {
      await open()
    } catch (error) {
      if (isAway(error)) return
      queueMicrotask(() => {
        throw error
      })
    }
    // Not awaited: it waits for this round.
    void rounds.stop()
  })
  return rounds
}

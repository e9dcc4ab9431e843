import { randomBytes } from 'node:crypto'
import { after, type TestContext } from 'node:test'
import type { TraceId } from '@spoor/contract/ids'
import { type ClickHouseServer, SHARDS, startClickHouse } from '../../../../../e2e/lib/clickhouse/clickhouse-server.ts'
import { createIdGenerator, type IdGenerator } from '../../lib/ids/ids.ts'
import { type Clock, systemClock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import { type CommitPlan, NO_UNKNOWNS } from '../../ports/log/log.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import { CommitBatch } from '../../traces/commit/commit-batch.ts'
import {
  created,
  PROJECT,
  preparedStep,
  preparedTrace,
  commitContext,
} from '../../traces/trace-builders.test-support.ts'
import { OneLease } from '../../operation/one-lease.ts'
import type { TelemetryEngine } from '../clickhouse/engine/telemetry-engine.ts'
import { ClickHouseTraceStore } from '../clickhouse/rows/clickhouse-trace-store.ts'
import { openServerSchema } from '../clickhouse/server/open-server-schema.ts'
import { type PreparedServer, prepareServer } from '../clickhouse/server/prepare-server.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import { SqlLeaseStore } from '../sql/leases/sql-lease-store.ts'
import { type TestPostgresql, testPostgresql } from '../sql/postgresql/test-postgresql.test-support.ts'
import { NODE_LEASE } from './cluster-log-statements.ts'
import { type ClusterTelemetry, type ClusterTelemetryOptions, openClusterTelemetry } from './open-cluster-telemetry.ts'

export interface TestServers {
  readonly postgresql: TestPostgresql
  /** Of several, each is a shard. */
  readonly clickhouse: readonly ClickHouseServer[]
}

/** A real PostgreSQL and a real ClickHouse, of one server or of several shards; the reason when one cannot run here. */
export async function clusterServers(shards = 1): Promise<TestServers | string> {
  const postgresql = await testPostgresql()
  if (typeof postgresql === 'string') return postgresql
  const clickhouse = await startClickHouse(shards)
  if (typeof clickhouse === 'string') return clickhouse
  after(() => Promise.all(clickhouse.map((server) => server[Symbol.asyncDispose]())))
  return { postgresql, clickhouse }
}

export interface TestNode extends ClusterTelemetry {
  readonly engine: TelemetryEngine
  readonly shards: readonly TelemetryEngine[]
  readonly database: PostgresqlDatabase<unknown>
  readonly ids: IdGenerator
  /** Messages of `onError`; fatal errors too. */
  readonly errors: string[]
  readonly recovered: string[]
}

export interface NodeOptions extends Partial<ClusterTelemetryOptions> {
  /** What this node uses in place of each of its connections to ClickHouse. */
  readonly through?: (engine: TelemetryEngine) => TelemetryEngine
  readonly clock?: Clock
}

let databases = 0

/** One database of each server, and any number of nodes on them. */
export class ClusterWorld {
  /** Of the database in PostgreSQL. A test may put a copy of an earlier moment in its place. */
  url: string
  readonly #servers: TestServers
  readonly #context: Pick<TestContext, 'after'>
  readonly #database: string
  #nodes = 0

  private constructor(servers: TestServers, context: Pick<TestContext, 'after'>, url: string, database: string) {
    this.#servers = servers
    this.#context = context
    this.url = url
    this.#database = database
  }

  static async open(servers: TestServers, context: Pick<TestContext, 'after'>): Promise<ClusterWorld> {
    const database = `cluster_${++databases}`
    const world = new ClusterWorld(servers, context, await servers.postgresql.migratedUrl(context), database)
    const prepared = await world.#prepare()
    await openServerSchema(prepared)
    await prepared.engine.close()
    return world
  }

  async node({ through = (engine) => engine, clock = systemClock, ...options }: NodeOptions = {}): Promise<TestNode> {
    const database = await this.postgresql()
    const { engine, shards } = await this.#prepare()
    const ids = createIdGenerator(clock, randomBytes)
    const [errors, recovered]: [string[], string[]] = [[], []]
    const lease = new OneLease({
      name: NODE_LEASE,
      leases: new SqlLeaseStore(database.uncounted().withTables<LeaseTables>(), systemClock),
      holder: `node ${++this.#nodes}`,
      timers: systemTimers,
      onError: (error) => errors.push(`lease: ${String(error)}`),
    })
    const opened = await openClusterTelemetry({
      database,
      lease: () => lease.held,
      settled: new ClickHouseTraceStore(through(engine), { shards: shards.map(through) }),
      timers: systemTimers,
      clock,
      fullText: true,
      pause: (ms) => new Promise((wake) => setTimeout(wake, ms)),
      newCommitId: () => randomBytes(16),
      startIdsAfter: (id) => ids.startAfter(id),
      onError: (error, message) => errors.push(`${message}: ${String(error)}`),
      onRecovered: (part) => recovered.push(part),
      onFatal: (error) => errors.push(`fatal: ${String(error)}`),
      ...options,
    })
    let closed: Promise<unknown> | null = null
    const close = () => (closed ??= opened.close().then(() => Promise.all([engine.close(), lease.stop()])))
    const start = () => {
      opened.start()
      lease.start()
    }
    this.#context.after(close)
    return {
      ...opened,
      start,
      close: async () => void (await close()),
      engine,
      shards,
      database,
      ids,
      errors,
      recovered,
    }
  }

  /** As a backup of the database in PostgreSQL would restore it. Its nodes MUST be closed. */
  copy(): Promise<string> {
    return this.#servers.postgresql.copyOf(this.#context, this.url)
  }

  postgresql(): Promise<PostgresqlDatabase<unknown>> {
    return this.#servers.postgresql.open(this.#context, { url: this.url })
  }

  async clickhouse(): Promise<PreparedServer> {
    const prepared = await this.#prepare()
    this.#context.after(() => prepared.engine.close())
    return prepared
  }

  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#servers.postgresql.query(this.url, sql)
  }

  #prepare(): Promise<PreparedServer> {
    const servers = this.#servers.clickhouse
    const { url, user, password } = servers[0] as ClickHouseServer
    const options = {
      url,
      user,
      password,
      ca: null,
      database: this.#database,
      readers: 2,
      onReadError: () => undefined,
    }
    return prepareServer(options, {
      cluster: servers.length === 1 ? null : SHARDS,
      urls: servers.map((server) => server.url),
    })
  }
}

/** Commits a trace of two steps, planning again after each conflict as the committer does. */
export async function commitTrace({ log, ids }: TestNode, key: string, now = Date.now()): Promise<TraceId> {
  for (;;) {
    const { version } = log.begin()
    const known = await log.lookUp({ ...NO_UNKNOWNS, traceKeys: [{ projectId: PROJECT, key }] })
    const present = known.traceKey(PROJECT, key)
    if (present !== undefined) return present.traceId
    const batch = new CommitBatch(
      commitContext({
        version: version + 1,
        now,
        known,
        newTraceId: () => ids.newId('tr'),
        newStepId: () => ids.newId('st'),
      }),
    )
    const steps = [preparedStep({ body: Buffer.from(`{"messages":"${key}"}`) }), preparedStep()]
    created(batch, PROJECT, preparedTrace({ steps }), { key, bodyHash: 'ab'.repeat(32) })
    const plan = batch.toPlan(log.watermark().lastTraceId)
    if ((await log.commit(plan)).status === 'committed') return plan.traces[0]!.id
  }
}

/** A commit of rows alone, as the next of the log. */
export async function commitRows({ log }: TestNode, rows: Partial<Omit<StoredCommit, 'version'>>): Promise<void> {
  const plan: CommitPlan = {
    version: log.begin().version + 1,
    traces: [],
    steps: [],
    metricEvents: [],
    committedAt: Date.now(),
    lastTraceId: log.watermark().lastTraceId,
    projects: [],
    traceKeys: [],
    stepKeys: [],
    metricEventKeys: [],
    superseded: [],
    attachments: [],
    deleted: [],
    removedEvents: [],
    monitorTransitions: [],
    onceEvents: [],
    quietWaits: [],
    ...rows,
  }
  const { status } = await log.commit(plan)
  if (status !== 'committed') throw new Error('another commit came between')
}

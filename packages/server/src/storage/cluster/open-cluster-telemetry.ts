import { DomainError } from '../../lib/domain-error.ts'
import { onBehalfOfService } from '../../lib/flow/requester.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { SharedRows } from '../recent/settled-rows.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { ClusterLog, type ClusterLogDependencies, IDLE_AFTER_MS } from './cluster-log.ts'
import { type LogHead, toHead } from './log-head.ts'
import { clusterLogStatementsOn, type ClusterLogTables, LOG_CHANNEL } from './cluster-log-statements.ts'
import { ClusterSettler, type ClusterSettlerOptions } from './cluster-settler.ts'
import { ClusterTraceStore } from './cluster-trace-store.ts'
import { KEPT_AFTER_WORK_MS } from './held-partitions.ts'
import { ALL_PARTITIONS } from './partitions.ts'
import { MismatchError, SettlingRecord } from './settling-record.ts'
import { findMismatch, type Timeline } from './timeline.ts'

export interface ClusterTelemetryOptions
  extends
    Pick<ClusterLogDependencies, 'newCommitId' | 'startIdsAfter' | 'pause'>,
    Pick<ClusterSettlerOptions, 'lease' | 'fullText' | 'timers'> {
  readonly database: PostgresqlDatabase<unknown>
  /** On a server whose tables belong to this log alone. */
  readonly settled: SharedRows
  /** False if `settled` does not answer yet: `compare` MUST then be called before it does. */
  readonly isReadable?: boolean
  readonly clock: Clock
  /** Partitions whose rows this node holds in any case, as `NodeList.own`; by default all. */
  readonly own?: () => readonly number[]
  /** Called with each head of the log that was read. MUST NOT throw. */
  readonly onHead?: (head: LogHead) => void
  /** Called for each failure that is tried again. */
  readonly onError: (error: unknown, message: string, part: ClusterPart) => void
  /** Called when the part works again. */
  readonly onRecovered: (part: ClusterPart) => void
  /** This node cannot continue: its process MUST end, and may start again. Without it, the error is thrown. */
  readonly onFatal?: (error: unknown) => void
  readonly mostUnsettledBytes?: number
  /** How long the start waits until this node can read what has settled, milliseconds. */
  readonly patienceMs?: number
}

/** `log`: PostgreSQL. `settling`: ClickHouse, and the way there. */
type ClusterPart = 'log' | 'settling'

export interface ClusterTelemetry {
  readonly log: ClusterLog
  readonly store: ClusterTraceStore
  readonly settler: Pick<ClusterSettler, 'totals' | 'isHolder'>
  readonly timeline: Timeline
  /** Rejects as the opening does, for rows that did not answer then. */
  compare(settled: SharedRows): Promise<unknown>
  /** From now on this node reads the log by itself, evicts what has settled, and settles while it holds the lease. */
  start(): void
  /** Ends settling. Unsettled commits stay in PostgreSQL. */
  close(): Promise<void>
}

/** Of rows that wait, also of those that this node does not hold: the node that settles has all in memory. */
const MOST_UNSETTLED_BYTES = 128 * 1024 * 1024
/** How old the log may be for background readers: webhooks, and tails of projects that other nodes commit for. */
const POLL_MS = 25
/** The same without such readers. Each request reads the log by itself. */
const UNREAD_POLL_MS = 100
/** The same while nobody commits and nothing waits to settle: an idle node hardly uses PostgreSQL. */
const IDLE_POLL_MS = 2000
const RETRY_MS = 250
const PATIENCE_MS = 60_000
/** After a failed query of the mark in ClickHouse. */
const EVICT_AGAIN_MS = 1000

/**
 * Opens the telemetry of several nodes and reads what of the log has not settled. Rejects with
 * MismatchError when PostgreSQL and ClickHouse do not belong to one moment of one store.
 */
export async function openClusterTelemetry(options: ClusterTelemetryOptions): Promise<ClusterTelemetry> {
  const { settled, timers, onError, startIdsAfter } = options
  const database = options.database.uncounted()
  const record = new SettlingRecord(database)
  const sql = clusterLogStatementsOn(database.withTables<ClusterLogTables>())
  const readHead = async () => toHead((await database.read(sql.readHead({})))[0])
  const compare = (rows: SharedRows) => waitUntilSame(readHead, { ...options, settled: rows })
  const { settledThrough, timeline } = options.isReadable === false ? await readHead() : await compare(settled)
  let isLogFailing = false
  let head: LogHead | null = null
  let store: ClusterTraceStore | null = null
  const opened = () => store as ClusterTraceStore
  const onLogError = (error: unknown, message: string) => {
    isLogFailing = true
    onError(error, message, 'log')
  }
  const log = await ClusterLog.open(
    {
      database,
      newCommitId: options.newCommitId,
      memory: {
        publish: (plan, bytes, missing) => opened().publish(plan, bytes, missing),
        lacking: (partitions) => opened().lacking(partitions),
        complete: (rows, partitions) => opened().complete(rows, partitions),
        bridge: (partitions, lastTraceId) => opened().bridge(partitions, lastTraceId),
      },
      startIdsAfter,
      onHead(found) {
        head = found
        options.onHead?.(found)
        // A backup of ClickHouse, made before one of PostgreSQL, has nothing that PostgreSQL says is removed.
        opened().setPrunedThrough(found.isHeld ? 0 : found.prunedThrough)
      },
      waitForCapacity: () => opened().waitForCapacity(),
      capacityRefusal: () => opened().capacityRefusal(),
      now: () => timers.now(),
      onError: onLogError,
      pause: options.pause,
    },
    settledThrough,
  )
  options.database.readVersionsWith({ next: () => log.controlVersion() })
  store = new ClusterTraceStore({
    ...options,
    lastTraceId: log.watermark().lastTraceId,
    settledThrough,
    want: (version) => record.want(version),
    mostUnsettledBytes: options.mostUnsettledBytes ?? MOST_UNSETTLED_BYTES,
  })
  const { own = () => ALL_PARTITIONS } = options
  const { held } = log
  const keep = () => (options.lease() === null ? held.keep(own()) : held.keep(ALL_PARTITIONS, KEPT_AFTER_WORK_MS))
  await log.follow()
  await keep()
  const settler = new ClusterSettler({
    ...options,
    record,
    store,
    follow: () => log.follow(),
    newBatchId: () => Buffer.from(options.newCommitId()).toString('hex'),
    onError: (error, message) => onError(error, message, 'settling'),
    onRecovered: () => options.onRecovered('settling'),
    onFatal: fail,
  })
  const evictor = new Evictor(store, timeline, options)
  const closing = new AbortController()
  let polling: Promise<unknown> | null = null
  let wake: () => void = () => undefined
  /** Another node has committed since the last read began. */
  let hasNotice = false
  const onNotice = () => {
    hasNotice = true
    wake()
  }

  async function poll(): Promise<void> {
    while (!closing.signal.aborted) {
      let pauseMs = RETRY_MS
      hasNotice = false
      try {
        await log.follow()
        await keep()
        const isRead = options.lease() !== null || opened().isAwaited || held.areUsedBeyond(own())
        const isIdle = !log.hasCommittedWithin(IDLE_AFTER_MS) && opened().unsettled.length === 0
        pauseMs = isIdle ? IDLE_POLL_MS : isRead ? POLL_MS : UNREAD_POLL_MS
        if (isLogFailing && log.refusal() === null) {
          isLogFailing = false
          options.onRecovered('log')
        }
      } catch (error) {
        if (!(error instanceof DomainError)) return fail(error)
        if (!isLogFailing) onLogError(error, 'the log cannot be read')
      }
      if (head !== null) {
        settler.look(head, held.areAll)
        evictor.look(head)
      }
      await new Promise<void>((resolve) => {
        const cancel = timers.after(hasNotice ? Math.min(pauseMs, POLL_MS) : pauseMs, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    }
  }

  function fail(error: unknown): void {
    if (options.onFatal !== undefined) return options.onFatal(error)
    queueMicrotask(() => {
      throw error
    })
  }

  return {
    log,
    store,
    settler,
    timeline,
    compare,
    start() {
      const listen = () => database.listen(LOG_CHANNEL, onNotice, closing.signal)
      polling ??= onBehalfOfService(() => Promise.all([poll(), listen()]))
    },
    async close() {
      closing.abort()
      wake()
      await polling
      await settler.close()
      await evictor.close()
      await log.close()
    },
  }
}

/**
 * Rows that have settled are not in memory: this node must be able to read them in ClickHouse. A replica may lag.
 * Returns the head that was compared, because `spoor recover` may change it meanwhile.
 */
async function waitUntilSame(
  readHead: () => Promise<LogHead>,
  { settled, timers, pause, patienceMs = PATIENCE_MS }: ClusterTelemetryOptions,
): Promise<Pick<LogHead, 'settledThrough' | 'timeline'>> {
  const until = timers.now() + patienceMs
  for (;;) {
    // In this order, what other nodes settle meanwhile does not matter.
    const { settledThrough, timeline } = await readHead()
    const marks = await settled.marks()
    const mismatch = findMismatch({ ...(await readHead()), settledThrough }, marks)
    if (mismatch === null) {
      if (marks.some((of) => !of.has(timeline))) await settled.markSettled(timeline, 0, timeline)
      return { settledThrough, timeline }
    }
    const error = new MismatchError(mismatch)
    if (!error.mayPass || timers.now() >= until) throw error
    await pause(RETRY_MS)
  }
}

/** Frees memory of what has settled and this node can read in ClickHouse. */
class Evictor {
  readonly #store: ClusterTraceStore
  readonly #timeline: Timeline
  readonly #options: Pick<ClusterTelemetryOptions, 'settled' | 'timers'>
  #evicting: Promise<void> | null = null
  #retryAt = -Infinity

  constructor(
    store: ClusterTraceStore,
    timeline: Timeline,
    options: Pick<ClusterTelemetryOptions, 'settled' | 'timers'>,
  ) {
    this.#store = store
    this.#timeline = timeline
    this.#options = options
  }

  look({ settledThrough }: LogHead): void {
    if (this.#evicting !== null || settledThrough <= this.#store.evictedThrough) return
    if (this.#options.timers.now() < this.#retryAt) return
    this.#evicting = onBehalfOfService(() => this.#evict(settledThrough)).finally(() => (this.#evicting = null))
  }

  async close(): Promise<void> {
    await this.#evicting
  }

  async #evict(settledThrough: number): Promise<void> {
    const { settled, timers } = this.#options
    try {
      this.#store.evict(Math.min(settledThrough, await settled.settledThrough(this.#timeline)))
      this.#store.setFailing('reading', false)
    } catch {
      // The engine reports failed reads itself.
      this.#retryAt = timers.now() + EVICT_AGAIN_MS
      this.#store.setFailing('reading', true)
    }
  }
}

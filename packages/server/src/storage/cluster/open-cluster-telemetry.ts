import type { TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { onBehalfOfService } from '../../lib/flow/requester.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { LeaseStore } from '../../ports/leases/lease-store.ts'
import type { SharedRows } from '../recent/settled-rows.ts'
import type { PostgresqlDatabase } from '../sql/kit/postgresql-database.ts'
import { ClusterLog, type LogHead, toHead } from './cluster-log.ts'
import { clusterLogStatementsOn, type ClusterLogTables } from './cluster-log-statements.ts'
import { ClusterSettler } from './cluster-settler.ts'
import { ClusterTraceStore } from './cluster-trace-store.ts'
import { MismatchError, SettlingRecord } from './settling-record.ts'
import { findMismatch, type Timeline } from './timeline.ts'
import { Turns } from './turns.ts'

export interface ClusterTelemetryOptions {
  readonly database: PostgresqlDatabase<unknown>
  /** By a clock that all nodes share. */
  readonly leases: LeaseStore
  /** On a server whose tables belong to this log alone. */
  readonly settled: SharedRows
  /** Names this process among all nodes. */
  readonly holder: string
  readonly timers: Timers
  /** Whether the words of steps are stored for search. */
  readonly fullText: boolean
  readonly pause: (ms: number) => Promise<void>
  /** Random, 16 bytes. */
  readonly newCommitId: () => Uint8Array
  /** See IdGenerator.startAfter: ids of traces that this node makes from now on are greater. */
  readonly startIdsAfter: (id: TraceId) => void
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
  /** From now on this node reads the log by itself, evicts what has settled, and settles while it holds the lease. */
  start(): void
  /** Ends settling, and gives the lease to another node. Unsettled commits stay in PostgreSQL. */
  close(): Promise<void>
}

/** Waiting rows are in the memory of every node, and in PostgreSQL. */
const MOST_UNSETTLED_BYTES = 128 * 1024 * 1024
/** How old the log may be for background readers: tails, webhooks. */
const POLL_MS = 25
const RETRY_MS = 250
const PATIENCE_MS = 60_000
/** After a failed query of the mark in ClickHouse. */
const EVICT_AGAIN_MS = 1000

/**
 * Opens the telemetry of several nodes and reads all commits that have not settled into memory. Rejects with
 * MismatchError when PostgreSQL and ClickHouse do not belong to one moment of one store.
 */
export async function openClusterTelemetry(options: ClusterTelemetryOptions): Promise<ClusterTelemetry> {
  const { settled, timers, onError, startIdsAfter } = options
  const database = options.database.uncounted()
  const record = new SettlingRecord(database)
  const sql = clusterLogStatementsOn(database.withTables<ClusterLogTables>())
  const readHead = async () => toHead((await database.read(sql.readHead({})))[0])
  const { settledThrough, timeline } = await waitUntilSame(readHead, options)
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
      publish: (plan) => opened().publish(plan),
      startIdsAfter,
      onHead(found) {
        head = found
        opened().setPrunedThrough(found.prunedThrough)
      },
      waitForCapacity: () => opened().waitForCapacity(),
      capacityRefusal: () => opened().capacityRefusal(),
      turns: new Turns(database, timers),
      onError: onLogError,
      pause: options.pause,
    },
    settledThrough,
  )
  options.database.readVersionsWith({ next: () => log.controlVersion() })
  store = new ClusterTraceStore({
    settled,
    lastTraceId: log.watermark().lastTraceId,
    settledThrough,
    want: (version) => record.want(version),
    timers,
    mostUnsettledBytes: options.mostUnsettledBytes ?? MOST_UNSETTLED_BYTES,
  })
  await log.follow()
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
  let polling: Promise<void> | null = null
  let wake: () => void = () => undefined

  async function poll(): Promise<void> {
    while (!closing.signal.aborted) {
      let pauseMs = POLL_MS
      try {
        await log.follow()
        if (isLogFailing && log.refusal() === null) {
          isLogFailing = false
          options.onRecovered('log')
        }
      } catch (error) {
        if (!(error instanceof DomainError)) {
          fail(error)
          return
        }
        if (!isLogFailing) onLogError(error, 'the log cannot be read')
        pauseMs = RETRY_MS
      }
      if (head !== null) {
        settler.look(head)
        evictor.look(head)
      }
      await new Promise<void>((resolve) => {
        const cancel = timers.after(pauseMs, resolve)
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
    start() {
      polling ??= onBehalfOfService(poll)
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

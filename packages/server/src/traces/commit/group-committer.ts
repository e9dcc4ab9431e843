import type { TraceId } from '@spoor/contract/ids'
import type { CommitRecord, Journal, JournalRow } from '../../ports/journal/journal.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { CommitMetrics } from './commit-metrics.ts'
import { CommitBatch, type CommitContext } from './commit-batch.ts'
import type { CommitLinks } from '../intake/linkable-media.ts'
import type { TraceCache } from './trace-cache.ts'
import type { TraceStore } from '../../ports/traces/trace-store.ts'

/** One request's part of a commit. `apply` runs when the commit is put together and waits for nothing, but may let the event loop turn; its result is given once it is durable. */
export interface CommitOperation<T> {
  /** About what it holds in memory while it waits, bytes. */
  readonly bytes: number
  /** It makes space on the disk in the end, and so is taken in although nothing else may be. */
  readonly freesSpace?: true
  apply(batch: CommitBatch): T | Promise<T>
}

export interface GroupCommitterOptions {
  /** Bytes of operations that may wait; more is refused with `queue_full`. */
  readonly maxQueueBytes: number
  /** A commit takes waiting operations up to this, and always at least one. */
  readonly maxCommitBytes: number
}

export interface GroupCommitterDependencies {
  readonly store: Pick<TraceStore, 'room' | 'stage' | 'publish' | 'mend'>
  readonly journal: Pick<Journal, 'append' | 'confirmLast' | 'last' | 'findStepKey' | 'findMetricEventKey'>
  readonly cache: TraceCache
  readonly clock: Clock
  readonly newId: Pick<CommitContext, 'newTraceId' | 'newStepId' | 'newMetricEventId'>
  readonly links: CommitLinks
  readonly metrics: CommitMetrics
  /** Why nothing may be taken in now (a full disk), or null. */
  readonly intakeBlock: () => DomainError | null
  /** Called before an operation that frees space is taken in: a full disk gets some room for it. */
  readonly makeRoom: () => void
  /** Asked when a commit's journal row is about to be written, with nothing between. */
  readonly keepSuperseded: () => boolean
  /** Called after each commit with the journal rows it made. */
  readonly publish: (rows: readonly JournalRow[]) => void
  readonly onError: (error: unknown, message: string) => void
  readonly onRepaired: () => void
  /** Waits before another try at a repair. */
  readonly pause: (ms: number) => Promise<void>
}

interface Waiting {
  readonly operation: CommitOperation<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** What is committed: readers show no trace above `lastTraceId` and no step above `version`. */
export interface Watermark {
  readonly version: number
  readonly lastTraceId: TraceId | null
}

const REPAIR_PAUSE_MS = 1000
/** Of the last commit's time; see gather. */
const GATHERING_SHARE = 0.3
const MOST_GATHERING_MS = 5

/**
 * Group commit: what arrives while one commit is being written goes into the next, so that a durable insert is shared by all who wait for it.
 *
 * One commit at a time: its rows are staged (fsync), then the journal row is written (fsync), then the rows are published and the watermark moves, then the waiting
 * requests are answered.
 * A commit that fails answers all its requests with an error, and nothing else is committed until the store agrees with the journal again.
 */
export class GroupCommitter {
  readonly #dependencies: GroupCommitterDependencies
  readonly #options: GroupCommitterOptions
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #running: Promise<void> | null = null
  #state: 'open' | 'repairing' | 'closed' = 'open'
  #watermark: Watermark
  #roomWaiters: (() => void)[] = []
  /** Set while a commit waits for clients to come back. */
  #gathering: { readonly until: number; readonly done: () => void } | null = null

  constructor(dependencies: GroupCommitterDependencies, options: GroupCommitterOptions) {
    this.#dependencies = dependencies
    this.#options = options
    this.#watermark = dependencies.journal.last()
  }

  get watermark(): Watermark {
    return this.#watermark
  }

  /** Resolves when the operation is durable and readable. Rejects with a DomainError when it is refused or its commit failed. */
  submit<T>(operation: CommitOperation<T>): Promise<T> {
    if (operation.freesSpace === true) this.#tell('making room for a deletion', () => this.#dependencies.makeRoom())
    const refusal = this.#refusal(operation.bytes, operation.freesSpace)
    if (refusal !== null) return Promise.reject(refusal)
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject })
      this.#waitingBytes += operation.bytes
      this.#reportQueue()
      if (this.#gathering !== null && this.#waiting.length >= this.#gathering.until) this.#gathering.done()
      this.#running ??= this.#run()
    })
  }

  /** Resolves after the next commit: a stream that met a full queue may try again then. */
  room(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#roomWaiters.push(resolve))
  }

  /** Why an operation of this many bytes would not be taken now, or null. To be asked before a body is read. */
  refusal(bytes = 0): DomainError | null {
    return this.#refusal(bytes)
  }

  /** Takes nothing more, commits what waits, and resolves. */
  async close(): Promise<void> {
    this.#state = 'closed'
    await this.#running
  }

  #refusal(bytes: number, freesSpace = false): DomainError | null {
    if (this.#state === 'closed')
      return new DomainError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    const block = freesSpace ? null : this.#dependencies.intakeBlock()
    if (block !== null) return block
    if (this.#state === 'repairing') return storageUnavailable()
    const full = this.#waiting.length > 0 && this.#waitingBytes + bytes > this.#options.maxQueueBytes
    return full
      ? new DomainError('queue_full', 'More is waiting to be written than the queue may hold.', {
          retryAfterSeconds: 1,
        })
      : null
  }

  /**
   * Everything that can fail is caught within; what is thrown nevertheless (a cache that could not take a durable commit, a journal that made one it said had failed) is a state that must not be gone on
   * from: nobody handles the rejection, so the process ends with it and the next start goes on from the log.
   */
  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop shares the commit.
    await nextTurn()
    while (this.#waiting.length > 0) {
      if (!(await this.#hasRoom())) continue
      const taken = this.#take()
      const durationMs = await this.#commit(taken)
      await this.#gather(taken.length, durationMs)
    }
    this.#running = null
  }

  /**
   * Clients that were just answered send their next request at once. Without waiting for them the next commit would start with those only that came during
   * the last one, and two halves of the clients would take turns: twice the latency, half the commit size. So when someone waits already, as many as were
   * answered are awaited, for a fraction of what a commit takes. A lone client never waits: nobody else does.
   */
  async #gather(answered: number, commitMs: number): Promise<void> {
    await nextTurn()
    const before = this.#waiting.length
    if (before === 0 || this.#state !== 'open') return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(MOST_GATHERING_MS, commitMs * GATHERING_SHARE))
      this.#gathering = {
        until: before + answered,
        done: () => {
          clearTimeout(timer)
          resolve()
        },
      }
    })
    this.#gathering = null
  }

  /** False when the store has none for the time being: all who wait are told. */
  async #hasRoom(): Promise<boolean> {
    try {
      await this.#dependencies.store.room()
      return true
    } catch (error) {
      this.#refuseWaiting(error)
      return false
    }
  }

  #take(): Waiting[] {
    let count = 0
    let bytes = 0
    for (const { operation } of this.#waiting) {
      if (count > 0 && bytes + operation.bytes > this.#options.maxCommitBytes) break
      bytes += operation.bytes
      count += 1
    }
    const taken = this.#waiting.slice(0, count)
    this.#waiting = this.#waiting.slice(count)
    this.#waitingBytes -= bytes
    this.#reportQueue()
    return taken
  }

  /** Returns how long it took, milliseconds. */
  async #commit(taken: readonly Waiting[]): Promise<number> {
    const started = performance.now()
    const { store, journal, metrics } = this.#dependencies
    let batch: CommitBatch
    let answers: (() => void)[]
    try {
      batch = new CommitBatch(this.#context())
      answers = await this.#apply(taken, batch)
    } catch (error) {
      this.#refuse(taken, error)
      return performance.now() - started
    }
    if (!batch.isEmpty) {
      let rows: readonly JournalRow[]
      let record: CommitRecord
      try {
        record = batch.toRecord(this.#watermark.lastTraceId)
        const { version } = record
        const { traces, steps, metricEvents } = batch
        await store.stage({ version, traces, steps, metricEvents }, record)
        // Asked only now: a walk may have begun while the batch was on its way to the log.
        rows = journal.append(this.#dependencies.keepSuperseded() ? record : { ...record, superseded: [] })
      } catch (error) {
        await this.#fail(taken, error)
        return performance.now() - started
      }
      store.publish(record.version)
      this.#watermark = { version: record.version, lastTraceId: record.lastTraceId }
      this.#dependencies.cache.put(batch.traces)
      this.#tell('publishing a commit', () => this.#dependencies.publish(rows))
    }
    for (const answer of answers) answer()
    const bytes = taken.reduce((sum, { operation }) => sum + operation.bytes, 0)
    const durationMs = performance.now() - started
    this.#tell('measuring a commit', () =>
      metrics.observeCommit({ durationMs, traces: batch.traces.length, steps: batch.steps.length, bytes }),
    )
    this.#wakeRoomWaiters()
    return durationMs
  }

  /** An operation that throws while it is applied fails alone; it must not have touched the batch then. */
  async #apply(taken: readonly Waiting[], batch: CommitBatch): Promise<(() => void)[]> {
    const answers: (() => void)[] = []
    for (const { operation, resolve, reject } of taken) {
      try {
        const applied = operation.apply(batch)
        const value = applied instanceof Promise ? await applied : applied
        answers.push(() => resolve(value as never))
      } catch (error) {
        answers.push(() => reject(error))
      }
    }
    return answers
  }

  /** Putting it together failed: nothing was written, so the store is as it was and the next commit is not touched. */
  #refuse(taken: readonly Waiting[], error: unknown): void {
    this.#dependencies.onError(error, 'a commit could not be put together')
    const refusal = new DomainError('internal_error', 'The commit failed; nothing of this request was kept.', {
      cause: error,
    })
    for (const { reject } of taken) reject(refusal)
    this.#wakeRoomWaiters()
  }

  /** What is told to others about a commit decides nothing about it: a listener that throws is reported, and the committer goes on. */
  #tell(what: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#dependencies.onError(error, `${what} failed`)
    }
  }

  async #fail(taken: readonly Waiting[], error: unknown): Promise<void> {
    this.#state = this.#state === 'closed' ? 'closed' : 'repairing'
    this.#dependencies.onError(error, 'commit failed')
    this.#tell('counting a failed commit', () => this.#dependencies.metrics.commitFailed())
    const nothingKept = this.#dependencies.intakeBlock() ?? storageUnavailable(error)
    this.#refuseWaiting(nothingKept)
    // Those of the commit wait: until it is cut from the log, the next start would complete it.
    const refusal = (await this.#repair()) ? nothingKept : outcomeUnknown(error)
    for (const { reject } of taken) reject(refusal)
    while (this.#state === 'repairing') {
      await this.#dependencies.pause(REPAIR_PAUSE_MS)
      await this.#repair()
    }
  }

  /** Makes the store agree with the journal again; false when that is not possible yet. Throws when the journal has the commit. */
  async #repair(): Promise<boolean> {
    const { journal, store, onError, onRepaired } = this.#dependencies
    let committed = this.#watermark.version
    try {
      // Before the rows go: until it is sure that the journal does not have their commit, a start may need them.
      journal.confirmLast()
      committed = journal.last().version
      if (committed === this.#watermark.version) {
        await store.mend()
        this.#reopen()
        onRepaired()
        return true
      }
    } catch (repairError) {
      onError(repairError, 'the store could not be repaired yet')
      return false
    }
    throw new Error('the journal holds a commit that it said it had not written')
  }

  #refuseWaiting(refusal: unknown): void {
    for (const { reject } of this.#waiting) reject(refusal)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#reportQueue()
    this.#wakeRoomWaiters()
  }

  /** Unless it was closed while the repair ran. */
  #reopen(): void {
    if (this.#state === 'repairing') this.#state = 'open'
  }

  #context(): CommitContext {
    const { journal, cache, clock, newId, links } = this.#dependencies
    return {
      version: this.#watermark.version + 1,
      now: clock.now(),
      newTraceId: () => newId.newTraceId(),
      newStepId: () => newId.newStepId(),
      newMetricEventId: () => newId.newMetricEventId(),
      findStepKey: (traceId, key) => journal.findStepKey(traceId, key),
      findMetricEventKey: (traceId, key) => journal.findMetricEventKey(traceId, key),
      currentTrace: (id) => cache.current(id),
      links,
    }
  }

  #wakeRoomWaiters(): void {
    const waiters = this.#roomWaiters
    this.#roomWaiters = []
    for (const wake of waiters) wake()
  }

  #reportQueue(): void {
    const queue = { operations: this.#waiting.length, bytes: this.#waitingBytes }
    this.#tell('measuring the queue', () => this.#dependencies.metrics.setQueue(queue))
  }
}

function storageUnavailable(cause?: unknown): DomainError {
  return new DomainError('storage_unavailable', 'The store could not write; nothing of this request was kept.', {
    retryAfterSeconds: 2,
    cause,
  })
}

/** The commit may stand in the log, from where the next start would complete it. */
function outcomeUnknown(cause: unknown): DomainError {
  return new DomainError(
    'storage_unavailable',
    'The store could not write, and could not take back what it had begun: this request may be kept or not. Retry it with the same idempotency keys.',
    { retryAfterSeconds: 2, cause },
  )
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

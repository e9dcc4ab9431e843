import { DomainError } from '../../lib/domain-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { CommitOutcome, Log, Unknowns } from '../../ports/log/log.ts'
import { CommitBatch, type CommitContext } from './commit-batch.ts'
import type { CommitMetrics } from './commit-metrics.ts'
import type { TraceCache } from './trace-cache.ts'

/** One request's part of a commit. Its result is given once the commit is durable. */
export interface CommitOperation<T> {
  /** About what it holds in memory while it waits, bytes. */
  readonly bytes: number
  /** It makes space on the disk in the end, and so is taken in although nothing else may be. */
  readonly freesSpace?: true
  /** What it must know of the log besides the traces that it holds. */
  readonly unknowns?: Partial<Unknowns>
  /**
   * Runs when the commit is planned, and again when the plan met a conflict. Pure but for the batch, which it must not
   * have touched when it throws. It waits for nothing, but may let the event loop turn.
   */
  apply(batch: CommitBatch): T | Promise<T>
}

export interface GroupCommitterOptions {
  /** Bytes of operations that may wait; more is refused with `queue_full`. */
  readonly maxQueueBytes: number
  /** A commit takes waiting operations up to this, and always at least one. */
  readonly maxCommitBytes: number
}

export interface GroupCommitterDependencies {
  readonly log: Log
  readonly cache: TraceCache
  readonly clock: Clock
  readonly newId: Pick<CommitContext, 'newTraceId' | 'newStepId' | 'newMetricEventId' | 'newAttachmentId'>
  /** Attachments that a trace may have. */
  readonly mostAttachments: number
  readonly metrics: Pick<CommitMetrics, 'observeCommit' | 'setQueue'>
  /** Why nothing may be taken in now (a full disk), or null. */
  readonly intakeBlock: () => DomainError | null
  /** Called before an operation that frees space is taken in: a full disk gets some room for it. */
  readonly makeRoom: () => void
  readonly onError: (error: unknown, message: string) => void
}

interface Waiting {
  readonly operation: CommitOperation<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Of the last commit's time; see gather. */
const GATHERING_SHARE = 0.3
const MOST_GATHERING_MS = 5
/** A plan that meets a conflict is made anew so often: each time somebody else has committed. */
const MOST_PLANS = 10

/**
 * Group commit: what arrives while one commit is being written goes into the next, so that a durable insert is shared
 * by all who wait for it.
 *
 * One commit at a time: what its operations must know is looked up, they are applied to a batch one after the other,
 * the log takes the plan, then the waiting requests are answered. When the log refuses, all who wait are told.
 */
export class GroupCommitter {
  readonly #dependencies: GroupCommitterDependencies
  readonly #options: GroupCommitterOptions
  #waiting: Waiting[] = []
  #waitingBytes = 0
  #running: Promise<void> | null = null
  #isClosed = false
  #roomWaiters: (() => void)[] = []
  /** Set while a commit waits for clients to come back. */
  #gathering: { readonly until: number; readonly done: () => void } | null = null

  constructor(dependencies: GroupCommitterDependencies, options: GroupCommitterOptions) {
    this.#dependencies = dependencies
    this.#options = options
    dependencies.log.subscribe({
      committed: ({ plan }) => dependencies.cache.put(plan.traces),
      refusing: (error) => this.#refuseWaiting(error),
    })
  }

  /**
   * Resolves when the operation is durable and readable. Rejects with a DomainError when it is refused or its commit
   * failed.
   */
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
    this.#isClosed = true
    await this.#running
  }

  #refusal(bytes: number, freesSpace = false): DomainError | null {
    if (this.#isClosed) return new DomainError('shutting_down', 'The service is stopping.', { retryAfterSeconds: 5 })
    const block = freesSpace ? null : this.#dependencies.intakeBlock()
    if (block !== null) return block
    const refusal = this.#dependencies.log.refusal()
    if (refusal !== null) return refusal
    const full = this.#waiting.length > 0 && this.#waitingBytes + bytes > this.#options.maxQueueBytes
    return full
      ? new DomainError('queue_full', 'More is waiting to be written than the queue may hold.', {
          retryAfterSeconds: 1,
        })
      : null
  }

  /**
   * Everything that can fail is caught within; what is thrown nevertheless is a state of the log that must not be gone
   * on from: nobody handles the rejection, so the process ends with it and the next start goes on from the log.
   */
  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop shares the commit.
    await nextTurn()
    while (this.#waiting.length > 0) {
      const taken = this.#take()
      const durationMs = await this.#commit(taken)
      await this.#gather(taken.length, durationMs)
    }
    this.#running = null
  }

  /**
   * Clients that were just answered send their next request at once. Without waiting for them the next commit would
   * start with those only that came during the last one, and two halves of the clients would take turns: twice the
   * latency, half the commit size. So when someone waits already, as many as were answered are awaited, for a fraction
   * of what a commit takes. A lone client never waits: nobody else does.
   */
  async #gather(answered: number, commitMs: number): Promise<void> {
    await nextTurn()
    const before = this.#waiting.length
    if (before === 0 || this.#isClosed || this.#dependencies.log.refusal() !== null) return
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
    const durationMs = () => performance.now() - started
    const planned = await this.#planAndCommit(taken)
    if (planned === null) return durationMs()
    for (const answer of planned.answers) answer()
    const bytes = taken.reduce((sum, { operation }) => sum + operation.bytes, 0)
    const { traces, steps } = planned.batch
    this.#tell('measuring a commit', () =>
      this.#dependencies.metrics.observeCommit({
        durationMs: durationMs(),
        traces: traces.length,
        steps: steps.length,
        bytes,
      }),
    )
    this.#wakeRoomWaiters()
    return durationMs()
  }

  /** Null when nothing was kept or that is not known, and all of `taken` were told. */
  async #planAndCommit(taken: readonly Waiting[]): Promise<Planned | null> {
    const { log, cache } = this.#dependencies
    for (let plans = 1; plans <= MOST_PLANS; plans++) {
      let planned: Planned
      try {
        planned = await this.#plan(taken)
      } catch (error) {
        this.#refuse(taken, error)
        return null
      }
      if (planned.batch.isEmpty) return planned
      const plan = planned.batch.toPlan(log.watermark().lastTraceId)
      let outcome: CommitOutcome
      try {
        outcome = await log.commit(plan)
      } catch (error) {
        // Anything else is no refusal; see #run.
        if (!(error instanceof DomainError)) throw error
        for (const { reject } of taken) reject(error)
        this.#wakeRoomWaiters()
        return null
      }
      if (outcome.status === 'committed') return planned
      await cache.refreshHeld()
    }
    const busy = 'Others kept writing to the same traces; nothing of this request was stored.'
    this.#refuse(taken, new DomainError('storage_unavailable', busy, { retryAfterSeconds: 1 }))
    return null
  }

  async #plan(taken: readonly Waiting[]): Promise<Planned> {
    const { log, cache, clock, newId, mostAttachments } = this.#dependencies
    const known = await log.lookUp(unknownsOf(taken))
    const batch = new CommitBatch({
      ...newId,
      version: log.watermark().version + 1,
      now: clock.now(),
      known,
      currentTrace: (id) => cache.current(id),
      mostAttachments,
    })
    return { batch, answers: await this.#apply(taken, batch) }
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
    const refusal =
      error instanceof DomainError
        ? error
        : new DomainError('internal_error', 'The commit failed; nothing of this request was stored.', { cause: error })
    for (const { reject } of taken) reject(refusal)
    this.#wakeRoomWaiters()
  }

  /**
   * What is told to others about a commit decides nothing about it: a listener that throws is reported, and the
   * committer goes on.
   */
  #tell(what: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#dependencies.onError(error, `${what} failed`)
    }
  }

  #refuseWaiting(refusal: unknown): void {
    for (const { reject } of this.#waiting) reject(refusal)
    this.#waiting = []
    this.#waitingBytes = 0
    this.#reportQueue()
    this.#wakeRoomWaiters()
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

interface Planned {
  readonly batch: CommitBatch
  readonly answers: readonly (() => void)[]
}

function unknownsOf(taken: readonly Waiting[]): Unknowns {
  const all = taken.flatMap(({ operation: { unknowns } }) => unknowns ?? [])
  return {
    traceKeys: all.flatMap(({ traceKeys }) => traceKeys ?? []),
    stepKeys: all.flatMap(({ stepKeys }) => stepKeys ?? []),
    metricEventKeys: all.flatMap(({ metricEventKeys }) => metricEventKeys ?? []),
    media: all.flatMap(({ media }) => media ?? []),
    attachments: all.flatMap(({ attachments }) => attachments ?? []),
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { DomainError } from '../../lib/domain-error.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { CommitOutcome, Log, Unknowns } from '../../ports/log/log.ts'
import { CommitBatch, type CommitContext } from './commit-batch.ts'
import type { CommitMetrics } from './commit-metrics.ts'
import { CommitQueue } from './commit-queue.ts'
import type { TraceCache } from './trace-cache.ts'

/** One request's part of a commit. Its result is returned once the commit is durable. */
export interface CommitOperation<T> {
  /** The project that it is for, or `service`. Owners take turns. */
  readonly owner: string
  /** Approximate memory that it holds while it waits, bytes. */
  readonly bytes: number
  /** It will free disk space, so it is accepted even while all other intake is blocked. */
  readonly freesSpace?: true
  /** What it must look up in the log, besides the traces that it holds. */
  readonly unknowns?: Partial<Unknowns>
  /**
   * Runs when the commit is planned, and again after a conflict. It changes nothing but the batch, and MUST NOT have
   * changed that when it throws. It does no I/O, but may yield to the event loop.
   */
  apply(batch: CommitBatch): T | Promise<T>
}

export interface GroupCommitterOptions {
  /** Limit of waiting operations, bytes. Beyond it, `submit` refuses with `queue_full`. */
  readonly maxQueueBytes: number
  /** Limit of one commit, bytes. A commit always takes at least one operation. */
  readonly maxCommitBytes: number
  /** Limit of one commit: operations. What follows a commit takes time for each of them. */
  readonly maxCommitOperations: number
  /** Milliseconds, monotonic. */
  readonly now: () => number
}

export interface GroupCommitterDependencies {
  readonly log: Log
  readonly cache: TraceCache
  readonly clock: Clock
  readonly newId: Pick<CommitContext, 'newTraceId' | 'newStepId' | 'newMetricEventId' | 'newAttachmentId'>
  /** Maximum number of attachments of a trace. */
  readonly mostAttachments: number
  readonly metadataLimits: CommitContext['metadataLimits']
  readonly contextLimit: CommitContext['contextLimit']
  readonly metrics: Pick<CommitMetrics, 'observeCommit' | 'setQueue'>
  /** Why intake is blocked (a full disk), or null. */
  readonly intakeBlock: () => DomainError | null
  /** Called before an operation that frees space is accepted, so that a full disk can release its reserve. */
  readonly makeRoom: () => void
  readonly onError: (error: unknown, message: string) => void
}

interface Waiting {
  readonly operation: CommitOperation<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Share of the last commit's duration; see #gather. */
const GATHERING_SHARE = 0.3
const MOST_GATHERING_MS = 5
/** Planning yields to the event loop after this time, and a commit takes no further operation after the second one. */
const MOST_TURN_MS = 5
const MOST_PLANNING_MS = 20
/** How often a plan is rebuilt after conflicts. Each conflict means that another writer has committed. */
const MOST_PLANS = 10

/**
 * Group commit: requests that arrive while one commit is written go into the next one, so that they share one durable
 * write.
 *
 * One commit at a time: look up what its operations need, apply them to a batch in sequence, commit the plan to the
 * log, then answer the requests. If the log refuses, all waiting requests are rejected.
 */
export class GroupCommitter {
  readonly #dependencies: GroupCommitterDependencies
  readonly #options: GroupCommitterOptions
  readonly #waiting = new CommitQueue<Waiting>()
  #running: Promise<void> | null = null
  #isClosed = false
  #commitWaiters: (() => void)[] = []
  /** Set while the committer waits for clients to send their next requests. */
  #gathering: { readonly until: number; readonly done: () => void } | null = null

  constructor(dependencies: GroupCommitterDependencies, options: GroupCommitterOptions) {
    this.#dependencies = dependencies
    this.#options = options
    dependencies.log.subscribe({
      committed: ({ plan }) => dependencies.cache.put(plan.traces),
      missed: (isOf) => dependencies.cache.forget(isOf),
      refusing: (error) => this.#refuseWaiting(error),
    })
  }

  /**
   * Resolves when the operation is durable and readable. Rejects with a DomainError if it is refused or its commit
   * failed.
   */
  submit<T>(operation: CommitOperation<T>): Promise<T> {
    if (operation.freesSpace === true) this.#notify('making room for a deletion', () => this.#dependencies.makeRoom())
    const refusal = this.#refusal(operation.bytes, operation.freesSpace)
    if (refusal !== null) return Promise.reject(refusal)
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add({ operation, resolve, reject })
      this.#reportQueue()
      if (this.#gathering !== null && this.#waiting.length >= this.#gathering.until) this.#gathering.done()
      this.#running ??= this.#run()
    })
  }

  /** Resolves after the next commit, at once if nothing waits. A stream that met a full queue may then retry. */
  nextCommit(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve()
    return new Promise((resolve) => this.#commitWaiters.push(resolve))
  }

  /** Why an operation of this size would be refused now, or null. Call it before reading a body. */
  refusal(bytes = 0): DomainError | null {
    return this.#refusal(bytes)
  }

  /** Refuses new operations, commits the waiting ones, and resolves. */
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
    const full = this.#waiting.length > 0 && this.#waiting.bytes + bytes > this.#options.maxQueueBytes
    return full
      ? new DomainError('queue_full', 'More is waiting to be written than the queue may hold.', {
          retryAfterSeconds: 1,
        })
      : null
  }

  /**
   * Handles every expected failure. Any other error means that the log is in an unknown state: the rejection is left
   * unhandled, which ends the process, and the next start recovers from the log.
   */
  async #run(): Promise<void> {
    // Requests of the same event loop turn share the commit.
    await nextTurn()
    while (this.#waiting.length > 0) {
      const taken: Waiting[] = []
      const durationMs = await this.#commit(taken)
      await this.#gather(taken.length, durationMs)
    }
    this.#running = null
  }

  /**
   * Clients that were just answered send their next request at once. Without this wait, the next commit would contain
   * only the requests that came during the last one. The clients would then split into two alternating halves: twice
   * the latency, half the commit size. So when at least one request waits, wait for as many more as were just answered,
   * for at most a fraction of a commit's duration. A lone client never waits.
   */
  async #gather(answered: number, commitMs: number): Promise<void> {
    await nextTurn()
    const before = this.#waiting.length
    const isFull = before >= this.#options.maxCommitOperations
    if (before === 0 || isFull || this.#isClosed || this.#dependencies.log.refusal() !== null) return
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

  /** Adds what waits to a commit, as much as fits. */
  #take(taken: Waiting[]): void {
    const { maxCommitBytes, maxCommitOperations } = this.#options
    let bytes = bytesOf(taken)
    const fits = ({ operation }: Waiting) => taken.length === 0 || bytes + operation.bytes <= maxCommitBytes
    while (taken.length < maxCommitOperations) {
      const next = this.#waiting.next(fits)
      if (next === undefined) break
      bytes += next.operation.bytes
      taken.push(next)
    }
    this.#reportQueue()
  }

  /** Commits what waits, and adds it to `taken`. Returns the duration, milliseconds. */
  async #commit(taken: Waiting[]): Promise<number> {
    const started = performance.now()
    const durationMs = () => performance.now() - started
    const planned = await this.#planAndCommit(taken)
    if (planned === null) return durationMs()
    for (const answer of planned.answers) answer()
    const { traces, steps } = planned.batch
    this.#notify('measuring a commit', () =>
      this.#dependencies.metrics.observeCommit({
        durationMs: durationMs(),
        traces: traces.length,
        steps: steps.length,
        bytes: bytesOf(taken),
      }),
    )
    this.#wakeCommitWaiters()
    return durationMs()
  }

  /** Null when nothing was stored or the outcome is unknown; then all of `taken` have been rejected. */
  async #planAndCommit(taken: Waiting[]): Promise<Planned | null> {
    const { log } = this.#dependencies
    for (let plans = 1; plans <= MOST_PLANS; plans++) {
      // Also what has come since a conflict: the more a commit takes along, the fewer there are.
      this.#take(taken)
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
        planned.batch.discard()
        // Any other error leaves the log in an unknown state; see #run.
        if (!(error instanceof DomainError)) throw error
        for (const { reject } of taken) reject(error)
        this.#wakeCommitWaiters()
        return null
      }
      if (outcome.status === 'committed') {
        this.#dependencies.cache.putTrees(planned.batch.treesOf(outcome.version))
        return planned
      }
      planned.batch.discard()
    }
    const busy = 'Others kept writing to the same traces; nothing of this request was stored.'
    this.#refuse(taken, new DomainError('storage_unavailable', busy, { retryAfterSeconds: 1 }))
    return null
  }

  /** Removes from `taken` what the commit has no time for. */
  async #plan(taken: Waiting[]): Promise<Planned> {
    const { log, cache, clock, newId, mostAttachments, metadataLimits, contextLimit } = this.#dependencies
    const { version } = log.begin()
    const known = await log.lookUp(unknownsOf(taken))
    const batch = new CommitBatch({
      ...newId,
      version: version + 1,
      now: clock.now(),
      known,
      currentTrace: (id) => cache.current(id),
      usageTree: (id) => cache.usageTree(id),
      mostAttachments,
      metadataLimits,
      contextLimit,
    })
    try {
      return { batch, answers: await this.#apply(taken, batch) }
    } catch (error) {
      batch.discard()
      throw error
    }
  }

  /** An operation that throws fails alone. It must not have changed the batch. */
  async #apply(taken: Waiting[], batch: CommitBatch): Promise<(() => void)[]> {
    const { now } = this.#options
    const answers: (() => void)[] = []
    let turnBegan = now()
    let spentMs = 0
    for (const { operation, resolve, reject } of taken) {
      const inTurnMs = now() - turnBegan
      if (spentMs + inTurnMs >= MOST_PLANNING_MS && answers.length > 0) {
        this.#waiting.putBack(taken.splice(answers.length))
        break
      }
      if (inTurnMs >= MOST_TURN_MS) {
        spentMs += inTurnMs
        await nextTurn()
        turnBegan = now()
      }
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

  /** Preparing the commit failed. Nothing was written, so the next commit is not affected. */
  #refuse(taken: readonly Waiting[], error: unknown): void {
    this.#dependencies.onError(error, 'a commit could not be prepared')
    const refusal =
      error instanceof DomainError
        ? error
        : new DomainError('internal_error', 'The commit failed; nothing of this request was stored.', { cause: error })
    for (const { reject } of taken) reject(refusal)
    this.#wakeCommitWaiters()
  }

  /** Calls a listener or a metric. If it throws, the error is logged and the committer goes on. */
  #notify(what: string, call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#dependencies.onError(error, `${what} failed`)
    }
  }

  #refuseWaiting(refusal: unknown): void {
    for (const { reject } of this.#waiting.clear()) reject(refusal)
    this.#reportQueue()
    this.#wakeCommitWaiters()
  }

  #wakeCommitWaiters(): void {
    const waiters = this.#commitWaiters
    this.#commitWaiters = []
    for (const wake of waiters) wake()
  }

  #reportQueue(): void {
    const queue = { operations: this.#waiting.length, bytes: this.#waiting.bytes }
    this.#notify('measuring the queue', () => this.#dependencies.metrics.setQueue(queue))
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

function bytesOf(taken: readonly Waiting[]): number {
  return taken.reduce((sum, { operation }) => sum + operation.bytes, 0)
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DeletedTrace, Journal, RemovalMark } from '../../ports/journal/journal.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'

export interface PurgeDeletedDependencies {
  readonly store: Pick<TraceReads, 'purgeTraces' | 'purgeEvents'>
  readonly journal: Pick<
    Journal,
    'pendingPurges' | 'pendingPurgeCount' | 'markPurged' | 'removalMarks' | 'forgetRemovals'
  >
  /**
   * Removes what other parts store about these traces. Called with a bounded number of traces, and again with the same
   * traces after a failure.
   */
  readonly forget: (traces: readonly DeletedTrace[]) => Promise<void>
  /**
   * Overwrites removed rows in the write-ahead logs of the databases. False while a log is being read; then it must be
   * called again.
   */
  readonly emptyLogs: () => boolean
  /** Milliseconds since 1970. */
  readonly wallTime: () => number
  /** Whether the disk is full. Then deleted traces are removed at once. */
  readonly isDiskFull: () => boolean
  /** Differs if anything was committed since. */
  readonly version: () => number
  /** Called when the removal of a batch begins and when it has ended. */
  readonly onPurging: (isUnderWay: boolean) => void
  readonly rules?: Partial<PurgeRules>
}

export interface PurgeRules {
  /**
   * Deletions are batched for this long, because each batch may rewrite large parts of the store. Together with the
   * removal of replaced files this MUST stay well under an hour.
   */
  readonly gatherMs: number
  /**
   * This many deletions are not held back for a larger batch once no more come: each batch rewrites parts, and their
   * reads and merges wait for that.
   */
  readonly many: number
  /** Pause after a large batch, as a multiple of its duration. */
  readonly pauseShare: number
  /** Time between two steps of a smaller batch. */
  readonly stepMs: number
  /** Time between two steps of a large batch. */
  readonly stepOfManyMs: number
  /** How often is looked whether traces were deleted, and whether more were, while there is space. */
  readonly lookMs: number
  /**
   * On a full disk, a batch that is not gone after this time is replaced by one that includes later deletions: they may
   * free the space.
   */
  readonly stuckMs: number
  readonly batch: number
}

export const PURGE_RULES: PurgeRules = {
  gatherMs: 10 * 60_000,
  many: 1000,
  pauseShare: 1,
  stepMs: 1000,
  stepOfManyMs: 100,
  lookMs: 5000,
  stuckMs: 10_000,
  batch: 50_000,
}

/** Traces read, or forgotten, without a break: some milliseconds. */
const TOGETHER = 100
const READ_TOGETHER = 1000
/** Metric events removed by one statement, which names each. */
const EVENTS_TOGETHER = 1000
/** Those that go before the traces of a batch: if retention deleted their trace, their numbers would stay otherwise. */
const MOST_EVENTS = 100_000
/** A restoration that began in time has ended after this. */
const RESTORING_MS = 60_000

/**
 * Removes deleted traces from the disk in batches. Each batch takes many steps of the store, one a round, so that a
 * round never waits until the engine has rewritten its files. The first batch begins with the first round, later ones
 * when enough deletions are pending. Removed metric events go with a batch, before its traces.
 */
export class PurgeDeleted {
  readonly #dependencies: PurgeDeletedDependencies
  readonly #rules: PurgeRules
  #batch: readonly DeletedTrace[] | null = null
  #events: readonly RemovalMark[] = []
  #begunAt = 0
  /**
   * When the first deletion that is in no batch was seen; null while there is none. -Infinity: the first round begins
   * at once.
   */
  #pendingSince: number | null = -Infinity
  /** Deletions that were in no batch at the last look. */
  #lastCount = 0
  /** As of the last count that was 0. */
  #emptyAt: number | null = null
  #pauseUntil = -Infinity
  #mustEmptyLogs = true
  #isStopping = false
  /** When the batch was taken, of the wall clock; null if it does not have all deletions that were final then. */
  #takenAt: number | null = null
  /** Deletions that were final before are removed, except from the logs of the databases. */
  #removedThrough = 0

  constructor(dependencies: PurgeDeletedDependencies) {
    this.#dependencies = dependencies
    this.#rules = { ...PURGE_RULES, ...dependencies.rules }
  }

  /**
   * One call at a time. `now`: milliseconds of a monotonic clock. Resolves with how many milliseconds later the next
   * call is due.
   */
  async round(now: number): Promise<number> {
    const { store, isDiskFull } = this.#dependencies
    if (this.#batch === null) await this.#begin(now)
    else if (
      isDiskFull() &&
      now - this.#begunAt >= this.#rules.stuckMs &&
      (this.#events.length > 0 || (await this.#hasMore()))
    )
      await this.#take(now)
    if (this.#events.length > 0) {
      const part = this.#events.slice(0, EVENTS_TOGETHER)
      if (await store.purgeEvents(part)) await this.#endOfEvents(part)
    } else if (this.#batch !== null) {
      // Also without traces: what the previous process was rewriting is ended.
      const gone = await store.purgeTraces(this.#batch)
      if (gone.length === this.#batch.length) await this.#end(now)
    }
    if (this.#batch === null && this.#mustEmptyLogs) this.#mustEmptyLogs = !this.#dependencies.emptyLogs()
    const { many, stepMs, stepOfManyMs, lookMs } = this.#rules
    if (this.#batch !== null && this.#batch.length >= many) return stepOfManyMs
    const hasTime = this.#lastCount >= many || (this.#pendingSince === null && !this.#mustEmptyLogs)
    return this.#batch === null && hasTime && !isDiskFull() ? lookMs : stepMs
  }

  /**
   * Deletions made before this time, milliseconds of the wall clock, are removed, also from the logs of the databases;
   * those that could be restored excepted. 0 while that is not known.
   */
  get purgedThrough(): number {
    return this.#mustEmptyLogs ? 0 : this.#removedThrough
  }

  /** Call it after rows were changed that are to leave the logs of the databases, too. */
  emptyLogs(): void {
    this.#mustEmptyLogs = true
    this.#emptyAt = null
  }

  /** The running round ends after its current group of traces. The next start continues. */
  stop(): void {
    this.#isStopping = true
  }

  async #begin(now: number): Promise<void> {
    const { journal, isDiskFull } = this.#dependencies
    const isFirst = this.#pendingSince === -Infinity
    const beganAt = this.#dependencies.wallTime()
    const version = this.#dependencies.version()
    if (this.#emptyAt === version && this.#pendingSince === null) return
    const events = (await journal.removalMarks(this.#rules.many)).length
    const { many, batch, gatherMs } = this.#rules
    const count = events + (await journal.pendingPurgeCount(batch, this.#finalThrough()))
    const isEnough = count >= batch || (count >= many && count === this.#lastCount)
    this.#lastCount = count
    if (count === 0 && !isFirst) {
      this.#pendingSince = null
      this.#removedThrough = beganAt
      // Deletions that can be restored become final without a commit.
      if ((await journal.pendingPurgeCount(1)) === 0) this.#emptyAt = version
      return
    }
    this.#pendingSince ??= now
    const isDue = (isEnough && now >= this.#pauseUntil) || now - this.#pendingSince >= gatherMs
    if (isFirst || isDue || isDiskFull()) await this.#take(now)
  }

  /** Whether traces were deleted since the batch was taken. */
  async #hasMore(): Promise<boolean> {
    const taken = this.#batch?.length ?? 0
    return (await this.#dependencies.journal.pendingPurgeCount(taken + 1, this.#finalThrough())) > taken
  }

  /** Deletions that could be restored until then are final. */
  #finalThrough(): number {
    return Math.max(0, this.#dependencies.wallTime() - RESTORING_MS)
  }

  async #take(now: number): Promise<void> {
    const { journal } = this.#dependencies
    const batch: DeletedTrace[] = []
    this.#takenAt = this.#dependencies.wallTime()
    let last: DeletedTrace | undefined
    const through = this.#finalThrough()
    const isFinal = ({ restorableUntil = 0 }: DeletedTrace) => restorableUntil === 0 || restorableUntil <= through
    for (;;) {
      const limit = Math.min(READ_TOGETHER, this.#rules.batch - batch.length)
      const page = await journal.pendingPurges(limit, last?.traceId)
      last = page.at(-1)
      batch.push(...page.filter(isFinal))
      if (page.length < limit || batch.length >= this.#rules.batch) break
      await nextTurn()
    }
    const events = await journal.removalMarks(MOST_EVENTS)
    // Removing single events needs space, and dropping the parts of deleted traces frees it.
    const isFull = this.#dependencies.isDiskFull()
    const marked = new Set(events.map(({ traceId }) => traceId))
    this.#batch = isFull ? batch.filter(({ traceId, isExpired }) => isExpired !== true || !marked.has(traceId)) : batch
    this.#events = isFull ? [] : events
    if (isFull || batch.length >= this.#rules.batch) this.#takenAt = null
    this.#begunAt = now
    this.#dependencies.onPurging(true)
    this.#pendingSince = null
  }

  async #endOfEvents(part: readonly RemovalMark[]): Promise<void> {
    await this.#dependencies.journal.forgetRemovals(part.map(({ id }) => id))
    this.#events = this.#events.slice(part.length)
    this.#mustEmptyLogs = true
  }

  /** The store has removed the batch. Now the other parts forget it; the pending mark is removed last. */
  async #end(now: number): Promise<void> {
    const { journal, forget } = this.#dependencies
    const batch = this.#batch ?? []
    if (batch.length > 0) this.#mustEmptyLogs = true
    for (let from = 0; from < batch.length; from += TOGETHER) {
      if (this.#isStopping) return
      const part = batch.slice(from, from + TOGETHER)
      await forget(part)
      await journal.markPurged(part.map(({ traceId }) => traceId))
      await nextTurn()
    }
    this.#removedThrough = this.#takenAt ?? this.#removedThrough
    this.#batch = null
    this.#dependencies.onPurging(false)
    this.#pauseUntil = now + this.#rules.pauseShare * (now - this.#begunAt)
  }
}

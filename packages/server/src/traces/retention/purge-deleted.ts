import type { DeletedTrace, Journal } from '../../ports/journal/journal.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'

export interface PurgeDeletedDependencies {
  readonly store: Pick<TraceReads, 'purgeTraces'>
  readonly journal: Pick<Journal, 'pendingPurges' | 'pendingPurgeCount' | 'markPurged'>
  /**
   * Takes what others keep of these traces. Bounded numbers of traces are given at a time. Called again for the same
   * traces after a failure.
   */
  readonly forget: (traces: readonly DeletedTrace[]) => Promise<void>
  /**
   * Overwrites what databases still hold of removed rows in their logs; false when somebody reads them now: it is to be
   * called again.
   */
  readonly emptyLogs: () => boolean
  /** Whether the disk is full: deleted traces are removed at once then. */
  readonly isDiskFull: () => boolean
  /** Told when a batch begins to be removed, and when it is gone. */
  readonly onPurging: (isUnderWay: boolean) => void
  readonly rules?: Partial<PurgeRules>
}

export interface PurgeRules {
  /**
   * Deletions gather this long, because each batch may rewrite large parts of the store. With the removal of replaced
   * files this MUST stay well under an hour.
   */
  readonly gatherMs: number
  /** So many are not gathered any longer. */
  readonly many: number
  /** After a batch of many, this many times as long as it took passes before the next. */
  readonly restShare: number
  /** Between two steps of a smaller batch; a batch of many takes one in each round. */
  readonly stepMs: number
  /**
   * On a full disk a batch that has not gone after this long is given up for one with what was deleted since: that may
   * make the room.
   */
  readonly stuckMs: number
  readonly batch: number
}

export const PURGE_RULES: PurgeRules = {
  gatherMs: 10 * 60_000,
  many: 1000,
  restShare: 1,
  stepMs: 1000,
  stuckMs: 10_000,
  batch: 50_000,
}

/** Traces read, or forgotten, without a break: some milliseconds. */
const TOGETHER = 100
const READ_TOGETHER = 1000

/**
 * Removes deleted traces from the disk: batch by batch, each in steps of the store with rounds between, so that a round
 * never waits for the engine to rewrite its files. The first batch begins with the first round, later ones when
 * deletions have gathered.
 */
export class PurgeDeleted {
  readonly #dependencies: PurgeDeletedDependencies
  readonly #rules: PurgeRules
  #batch: readonly DeletedTrace[] | null = null
  #begunAt = 0
  /**
   * When the first deletion was seen that no batch has taken; null while there is none. The first round waits for
   * nothing.
   */
  #pendingSince: number | null = -Infinity
  #restUntil = -Infinity
  #nextStepAt = -Infinity
  #mustEmptyLogs = true
  #isStopping = false

  constructor(dependencies: PurgeDeletedDependencies) {
    this.#dependencies = dependencies
    this.#rules = { ...PURGE_RULES, ...dependencies.rules }
  }

  /** To be called ten times a second, one at a time. Times in milliseconds, of a clock that does not step back. */
  async round(now: number): Promise<void> {
    const isLarge = this.#batch !== null && this.#batch.length >= this.#rules.many
    if (!isLarge && now < this.#nextStepAt) return
    this.#nextStepAt = now + this.#rules.stepMs
    const { store, isDiskFull } = this.#dependencies
    if (this.#batch === null) await this.#begin(now)
    else if (isDiskFull() && now - this.#begunAt >= this.#rules.stuckMs && (await this.#hasMore()))
      await this.#take(now)
    if (this.#batch !== null) {
      // Also without traces: the store removes rows that an earlier version left behind.
      const gone = await store.purgeTraces(this.#batch)
      if (gone.length === this.#batch.length) await this.#end(now)
    }
    if (this.#batch === null && this.#mustEmptyLogs) this.#mustEmptyLogs = !this.#dependencies.emptyLogs()
  }

  /** A round under way ends behind the traces it has in hand; the next start goes on. */
  stop(): void {
    this.#isStopping = true
  }

  async #begin(now: number): Promise<void> {
    const { journal, isDiskFull } = this.#dependencies
    const isFirst = this.#pendingSince === -Infinity
    const count = await journal.pendingPurgeCount(this.#rules.many)
    if (count === 0 && !isFirst) {
      this.#pendingSince = null
      return
    }
    this.#pendingSince ??= now
    const isMany = count >= this.#rules.many && now >= this.#restUntil
    if (isFirst || isMany || isDiskFull() || now - this.#pendingSince >= this.#rules.gatherMs) await this.#take(now)
  }

  /** Whether traces were deleted since the batch was taken. */
  async #hasMore(): Promise<boolean> {
    const taken = this.#batch?.length ?? 0
    return (await this.#dependencies.journal.pendingPurgeCount(taken + 1)) > taken
  }

  async #take(now: number): Promise<void> {
    const { journal } = this.#dependencies
    const batch: DeletedTrace[] = []
    for (;;) {
      const limit = Math.min(READ_TOGETHER, this.#rules.batch - batch.length)
      const page = await journal.pendingPurges(limit, batch.at(-1)?.traceId)
      batch.push(...page)
      if (page.length < limit || batch.length >= this.#rules.batch) break
      await nextTurn()
    }
    this.#batch = batch
    this.#begunAt = now
    this.#dependencies.onPurging(true)
    this.#pendingSince = null
  }

  /**
   * The store holds nothing of the batch any more; then others let go of it, and the mark that it is pending goes last.
   */
  async #end(now: number): Promise<void> {
    const { journal, forget } = this.#dependencies
    const batch = this.#batch ?? []
    for (let from = 0; from < batch.length; from += TOGETHER) {
      if (this.#isStopping) return
      const part = batch.slice(from, from + TOGETHER)
      await forget(part)
      await journal.markPurged(part.map(({ traceId }) => traceId))
      await nextTurn()
    }
    if (batch.length > 0) this.#mustEmptyLogs = true
    this.#batch = null
    this.#dependencies.onPurging(false)
    this.#restUntil = now + this.#rules.restShare * (now - this.#begunAt)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

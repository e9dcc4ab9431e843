import { DomainError } from '../../lib/domain-error.ts'
import type { CommitRecord, JournalRow } from '../../ports/journal/journal.ts'
import type {
  Committed,
  CommitOutcome,
  CommitPlan,
  Known,
  Log,
  LogListener,
  Unknowns,
  Watermark,
} from '../../ports/log/log.ts'
import type { StoredCommit } from '../../ports/traces/trace-store.ts'
import type { EmbeddedJournal } from './embedded-journal.ts'
import { KnownKeys, type KeyLookUps } from './known-keys.ts'

/** The rows of the log: a file, the memory in front of the engine, and the way into the engine. */
export interface RowLog {
  room(): Promise<void>
  /**
   * Durable (fsync) when it resolves, and not readable. When it rejects nothing counts, and nothing is staged any more
   * until `mend` has resolved. `record`: the commit as the journal will write it, kept beside the rows, so that a
   * journal that lost its last commits can be given them again.
   */
  stage(commit: StoredCommit, record: CommitRecord): Promise<void>
  /** Makes the commit staged last readable; its version is in the journal. */
  publish(version: number): void
  /** Drops what was staged and not published, and makes `stage` possible again. */
  mend(): Promise<void>
}

export interface EmbeddedLogDependencies {
  readonly rows: RowLog
  readonly journal: Pick<EmbeddedJournal, 'append' | 'confirmLast' | 'last' | 'idLeadMs'>
  readonly lookUps: KeyLookUps
  /** Asked when a commit's journal row is about to be written, with nothing between. */
  readonly keepSuperseded: () => boolean
  /** Why nothing may be written now (a full disk), or null. */
  readonly diskRefusal: () => DomainError | null
  readonly onError: (error: unknown, message: string) => void
  readonly onFailed: () => void
  readonly onRepaired: () => void
  /** Waits before another try at a repair. */
  readonly pause: (ms: number) => Promise<void>
}

const REPAIR_PAUSE_MS = 1000

/**
 * The log of one process. A commit's rows are staged (fsync of the log file), then its journal row is written (fsync of
 * SQLite), then it is readable, then the watermark moves and listeners are called. What stands in the file beyond the
 * journal never was, until a start has given it to the journal.
 */
export class EmbeddedLog implements Log {
  readonly #dependencies: EmbeddedLogDependencies
  readonly #listeners = new Set<LogListener>()
  #watermark: Watermark
  #isRepairing = false
  /** Ends when a repair that took more than one try has ended. */
  #repairing: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(dependencies: EmbeddedLogDependencies) {
    this.#dependencies = dependencies
    const { journal } = dependencies
    this.#watermark = { ...journal.last(), idLeadMs: journal.idLeadMs() }
  }

  watermark(): Watermark {
    return this.#watermark
  }

  async lookUp(unknowns: Unknowns): Promise<Known> {
    return new KnownKeys(unknowns, this.#dependencies.lookUps)
  }

  room(): Promise<void> {
    return this.#dependencies.rows.room()
  }

  refusal(): DomainError | null {
    return this.#isRepairing ? storageUnavailable() : null
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * What goes wrong behind the journal's row (memory that cannot take a durable commit, a journal that made one it said
   * had failed) is a state that must not be gone on from: it is thrown as it is, ends the process, and the next start
   * goes on from the file.
   */
  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    const refusal = this.refusal()
    if (refusal !== null) throw refusal
    if (plan.version !== this.#watermark.version + 1 || this.#hasTakenKey(plan)) return { status: 'conflict' }
    const { rows: logged, journal, keepSuperseded } = this.#dependencies
    const { version, traces, steps, metricEvents } = plan
    const record = toRecord(plan)
    let rows: readonly JournalRow[]
    try {
      await logged.stage({ version, traces, steps, metricEvents }, record)
      // Asked only now: a walk may have begun while the plan was on its way to the file.
      rows = journal.append(keepSuperseded() ? record : { ...record, superseded: [] })
    } catch (error) {
      throw await this.#fail(error)
    }
    logged.publish(version)
    this.#watermark = { version, lastTraceId: plan.lastTraceId, idLeadMs: journal.idLeadMs() }
    this.#tell({ plan, rows })
    return { status: 'committed', rows }
  }

  /** A repair under way goes on until it has succeeded or this is called; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#repairing
  }

  /** Keys of steps and metric events are looked up for every plan; those of traces may have been written since. */
  #hasTakenKey({ traceKeys }: CommitPlan): boolean {
    return traceKeys.some(({ projectId, key }) => this.#dependencies.lookUps.traceKey(projectId, key) !== undefined)
  }

  #tell(commit: Committed): void {
    for (const { committed } of this.#listeners) committed?.(commit)
  }

  /** Returns what the commit is refused with. */
  async #fail(error: unknown): Promise<DomainError> {
    const { onError, onFailed, diskRefusal } = this.#dependencies
    const nothingKept = diskRefusal() ?? storageUnavailable(error)
    this.#isRepairing = true
    onError(error, 'commit failed')
    onFailed()
    for (const { refusing } of this.#listeners) refusing?.(nothingKept)
    // The commit is answered behind the first try: until it is cut from the file, the next start would complete it.
    if (await this.#repair()) {
      this.#isRepairing = false
      return nothingKept
    }
    this.#repairing = this.#repairUntilDone()
    return outcomeUnknown(error)
  }

  async #repairUntilDone(): Promise<void> {
    do await this.#dependencies.pause(REPAIR_PAUSE_MS)
    while (!this.#isClosed && !(await this.#repair()))
    this.#isRepairing = false
  }

  /**
   * Makes the file agree with the journal again; false when that is not possible yet. Throws when the journal has the
   * commit.
   */
  async #repair(): Promise<boolean> {
    const { journal, rows, onError, onRepaired } = this.#dependencies
    let committed = this.#watermark.version
    try {
      // Before the rows go: until it is sure that the journal does not have their commit, a start may need them.
      journal.confirmLast()
      committed = journal.last().version
      if (committed === this.#watermark.version) {
        await rows.mend()
        onRepaired()
        return true
      }
    } catch (repairError) {
      onError(repairError, 'the store could not be repaired yet')
      return false
    }
    throw new Error('the journal holds a commit that it said it had not written')
  }
}

function toRecord({ traces: _, steps: __, metricEvents: ___, ...record }: CommitPlan): CommitRecord {
  return record
}

function storageUnavailable(cause?: unknown): DomainError {
  return new DomainError('storage_unavailable', 'The store could not write; nothing of this request was kept.', {
    retryAfterSeconds: 2,
    cause,
  })
}

/** The commit may stand in the file, from where the next start would complete it. */
function outcomeUnknown(cause: unknown): DomainError {
  return new DomainError(
    'storage_unavailable',
    'The store could not write, and could not take back what it had begun: this request may be kept or not. Retry it with the same idempotency keys.',
    { retryAfterSeconds: 2, cause },
  )
}

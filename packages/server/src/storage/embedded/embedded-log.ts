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
import { nothingStored, recordOf } from '../commit-outcome.ts'
import type { EmbeddedJournal } from './embedded-journal.ts'
import { KnownKeys, type KeyLookUps } from './known-keys.ts'

/** The rows of the log: a file, the memory in front of the engine, and the way into the engine. */
export interface RowLog {
  /**
   * Resolves when one more commit may be staged: waits while too many rows wait for the engine. Rejects with
   * DomainError `storage_unavailable` while so many wait and the engine takes nothing.
   */
  waitForCapacity(): Promise<void>
  /**
   * Durable (fsync) when it resolves, and not readable. If it rejects, nothing was staged, and every further call
   * rejects until `repair` has resolved. `record`: the commit as the journal will write it. It is stored with the rows,
   * so that a journal that lost its last commits can get them back.
   */
  stage(commit: StoredCommit, record: CommitRecord): Promise<void>
  /** Makes the commit staged last readable; its version is in the journal. */
  publish(version: number): void
  /** Removes what was staged and not published, and makes `stage` possible again. */
  repair(): Promise<void>
}

export interface EmbeddedLogDependencies {
  readonly rows: RowLog
  readonly journal: Pick<EmbeddedJournal, 'append' | 'confirmLast' | 'last' | 'idLeadMs'>
  readonly lookUps: KeyLookUps
  /** Called directly before a commit's journal row is written. */
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
 * SQLite), then it is readable, then the watermark moves and listeners are called. A record of the file that the
 * journal does not have is not committed, until a start gives it to the journal.
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

  begin(): Watermark {
    return this.#watermark
  }

  async lookUp(unknowns: Unknowns): Promise<Known> {
    return new KnownKeys(unknowns, this.#dependencies.lookUps)
  }

  refusal(): DomainError | null {
    return this.#isRepairing ? nothingStored() : null
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /**
   * An error after the journal's row (memory cannot take a durable commit, or the journal has a commit that it reported
   * as failed) is fatal: it is thrown as it is and ends the process, and the next start continues from the file.
   */
  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    const refusal = this.refusal()
    if (refusal !== null) throw refusal
    await this.#waitForCapacity()
    if (plan.version !== this.#watermark.version + 1 || this.#hasTakenTraceKey(plan)) return { status: 'conflict' }
    const { rows: logged, journal, keepSuperseded } = this.#dependencies
    const { version, traces, steps, metricEvents, removedEvents } = plan
    const record = recordOf(plan)
    let rows: readonly JournalRow[]
    try {
      await logged.stage({ version, traces, steps, metricEvents, removedEvents }, record)
      // Not earlier: a walk may have begun while the rows were written to the file.
      rows = journal.append(keepSuperseded() ? record : { ...record, superseded: [] })
    } catch (error) {
      if (await this.#isConflict(plan, error)) return { status: 'conflict' }
      throw await this.#fail(error)
    }
    logged.publish(version)
    this.#watermark = { version, lastTraceId: plan.lastTraceId, idLeadMs: journal.idLeadMs() }
    this.#notifyCommitted({ plan, rows })
    return { status: 'committed', version, rows }
  }

  /** Ends a repair in progress; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#repairing
  }

  /** This wait bounds the memory of rows that the engine has not taken yet. */
  async #waitForCapacity(): Promise<void> {
    try {
      await this.#dependencies.rows.waitForCapacity()
    } catch (error) {
      if (error instanceof DomainError) this.#notifyRefusing(error)
      throw error
    }
  }

  #hasTakenTraceKey({ traceKeys }: CommitPlan): boolean {
    return traceKeys.some(({ projectId, key }) => this.#dependencies.lookUps.traceKey(projectId, key) !== undefined)
  }

  /**
   * Whether the journal rejected the plan for what it holds, and the rows are removed again. Checked only after a
   * failure: a planner that looked up its keys never causes one, and looking up every step twice would cost too much.
   */
  async #isConflict({ stepKeys, metricEventKeys, attachments }: CommitPlan, error: unknown): Promise<boolean> {
    if (error instanceof DomainError) return false
    const { lookUps } = this.#dependencies
    try {
      const hasChanged =
        stepKeys.some(({ traceId, key }) => lookUps.stepKey(traceId, key) !== undefined) ||
        metricEventKeys.some(({ traceId, key }) => lookUps.metricEventKey(traceId, key) !== undefined) ||
        attachments.some(({ stored, projectId, sha256 }) =>
          stored === undefined ? !lookUps.hasMedia(projectId, sha256) : stored.isGone === true,
        )
      if (!hasChanged) return false
    } catch {
      // The disk fails, which is no conflict.
      return false
    }
    return this.#repair()
  }

  #notifyCommitted(commit: Committed): void {
    for (const { committed } of this.#listeners) committed?.(commit)
  }

  #notifyRefusing(error: DomainError): void {
    for (const { refusing } of this.#listeners) refusing?.(error)
  }

  /** Returns the error of the commit. */
  async #fail(error: unknown): Promise<DomainError> {
    const { onError, onFailed, onRepaired, diskRefusal } = this.#dependencies
    const refusal = diskRefusal() ?? nothingStored(error)
    this.#isRepairing = true
    onError(error, 'commit failed')
    onFailed()
    this.#notifyRefusing(refusal)
    // The commit is answered after the first try: until it is cut from the file, the next start would complete it.
    if (await this.#repair()) {
      this.#isRepairing = false
      onRepaired()
      return refusal
    }
    this.#repairing = this.#repairUntilDone()
    return outcomeUnknown(error)
  }

  async #repairUntilDone(): Promise<void> {
    const { pause, onRepaired } = this.#dependencies
    let isRepaired = false
    while (!isRepaired) {
      await pause(REPAIR_PAUSE_MS)
      if (this.#isClosed) break
      isRepaired = await this.#repair()
    }
    this.#isRepairing = false
    if (isRepaired) onRepaired()
  }

  /**
   * Makes the file match the journal again; false if that is not possible yet. Throws if the journal has the commit.
   */
  async #repair(): Promise<boolean> {
    const { journal, rows, onError } = this.#dependencies
    let committed = this.#watermark.version
    try {
      // Before the rows are removed: a start needs them, unless the journal certainly does not have their commit.
      journal.confirmLast()
      committed = journal.last().version
      if (committed === this.#watermark.version) {
        await rows.repair()
        return true
      }
    } catch (repairError) {
      onError(repairError, 'the store could not be repaired yet')
      return false
    }
    throw new Error('the journal has a commit that it reported as not written')
  }
}

/** The commit may be in the file; then the next start completes it. */
function outcomeUnknown(cause: unknown): DomainError {
  return new DomainError(
    'storage_unavailable',
    'The store could not write and could not undo the write. This request may be stored or not. Retry it with the same idempotency keys.',
    { retryAfterSeconds: 2, isOutcomeUnknown: true, cause },
  )
}

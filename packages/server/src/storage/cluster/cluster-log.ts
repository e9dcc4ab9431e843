import { DomainError } from '../../lib/domain-error.ts'
import { idLeadOf } from '../../ports/journal/creation-time.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
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
import { NO_UNKNOWNS } from '../../ports/log/log.ts'
import { nothingStored, recordOf } from '../commit-outcome.ts'
import { appendCommit, type JournalSql, journalSqlOn } from '../sql/journal/journal-work.ts'
import { toState } from '../sql/journal/journal-rows.ts'
import { UnknownOutcomeError } from '../sql/kit/postgresql-error.ts'
import { first, run, type SqlDatabase, type Work } from '../sql/kit/sql-database.ts'
import { type ClusterLogSql, clusterLogStatementsOn, type ClusterLogTables } from './cluster-log-statements.ts'
import { decodePlan, encodePlan } from './commit-payload.ts'
import { lookUpKeys } from './look-up-keys.ts'

export interface ClusterLogDependencies {
  /** PostgreSQL with serializable transactions. */
  readonly database: SqlDatabase<unknown>
  /** Random, 16 bytes. */
  readonly newCommitId: () => Uint8Array
  /** Makes the rows of a commit readable on this node. Called in commit order. MUST NOT throw. */
  readonly publish: (plan: CommitPlan) => void
  readonly onError: (error: unknown, message: string) => void
  /** Waits before another try to find out about a commit. */
  readonly pause: (ms: number) => Promise<void>
}

/** Commits that are read at once. */
const COMMITS_PER_READ = 50
const RETRY_PAUSE_MS = 250

/**
 * The log of several nodes, in PostgreSQL. A commit is one transaction: it locks the state row, compares the version,
 * writes journal, keys, links and the payload, and moves the state. So commits of all nodes have one order, and
 * positions of the journal have no gaps.
 *
 * A node reads the commits of others with `follow`, and publishes them in the same order as its own.
 */
export class ClusterLog implements Log {
  readonly #dependencies: ClusterLogDependencies
  readonly #sql: ClusterLogSql
  readonly #journal: JournalSql
  readonly #listeners = new Set<LogListener>()
  #watermark: Watermark
  #following: Promise<void> | null = null
  /** A commit of this node whose outcome is unknown; null in health. */
  #unknown: Promise<void> | null = null
  #isClosed = false

  private constructor(dependencies: ClusterLogDependencies, sql: ClusterLogSql, watermark: Watermark) {
    this.#dependencies = dependencies
    this.#sql = sql
    this.#journal = journalSqlOn(dependencies.database)
    this.#watermark = watermark
  }

  /** Begins at the present end of the log: earlier commits are not published. */
  static async open(dependencies: ClusterLogDependencies): Promise<ClusterLog> {
    const { database } = dependencies
    const sql = clusterLogStatementsOn(database.withTables<ClusterLogTables>())
    const { version, lastTraceId, idLeadMs } = toState((await database.read(journalSqlOn(database).readState({})))[0])
    return new ClusterLog(dependencies, sql, { version, lastTraceId, idLeadMs })
  }

  watermark(): Watermark {
    return this.#watermark
  }

  lookUp(unknowns: Unknowns): Promise<Known> {
    return lookUpKeys(this.#dependencies.database, this.#sql, unknowns)
  }

  refusal(): DomainError | null {
    return this.#unknown === null ? null : nothingStored()
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    const refusal = this.refusal()
    if (refusal !== null) throw refusal
    if (plan.version !== this.#watermark.version + 1) return { status: 'conflict' }
    const id = this.#dependencies.newCommitId()
    let rows: readonly JournalRow[] | null
    try {
      const payload = await encodePlan(plan)
      rows = await this.#dependencies.database.write(() => this.#write(plan, id, payload))
    } catch (error) {
      if (error instanceof UnknownOutcomeError) return await this.#findOut(plan, id, error)
      if (!(error instanceof DomainError) && (await this.#hasTaken(plan))) return { status: 'conflict' }
      throw this.#refuse(error)
    }
    if (rows === null) {
      await this.follow()
      return { status: 'conflict' }
    }
    this.#publish({ plan, rows })
    return { status: 'committed', rows }
  }

  /**
   * Publishes what other nodes have committed. When it resolves, everything is readable here that any node had
   * acknowledged before the call. Rejects with DomainError `storage_unavailable`.
   */
  async follow(): Promise<void> {
    // One that is under way may have read before the latest acknowledgement.
    await this.#following?.catch(() => undefined)
    this.#following ??= this.#readOn().finally(() => (this.#following = null))
    await this.#following
  }

  /** Ends the search for an unknown outcome; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#unknown
  }

  /** Null when another commit came between. */
  *#write(plan: CommitPlan, id: Uint8Array, payload: Uint8Array): Work<readonly JournalRow[] | null> {
    const state = yield* first(this.#sql.lockState({}))
    if (state?.version !== plan.version - 1) return null
    const rows = yield* appendCommit(this.#journal, recordOf(plan))
    const journalRows = Buffer.from(JSON.stringify(rows))
    yield* run(this.#sql.insertCommit({ version: plan.version, id, payload, journal_rows: journalRows }))
    return rows
  }

  async #readOn(): Promise<void> {
    for (;;) {
      const after = { version: this.#watermark.version, limit: COMMITS_PER_READ }
      const commits = await this.#dependencies.database.read(this.#sql.commitsAfter(after))
      for (const { version, payload, journal_rows: rows } of commits) {
        const plan = await decodePlan(payload)
        // A commit of this node may have been published while its payload was read.
        if (version <= this.#watermark.version) continue
        if (version !== this.#watermark.version + 1) {
          throw new Error(`the log has commit ${version} but not the one after ${this.#watermark.version}`)
        }
        this.#publish({ plan, rows: JSON.parse(Buffer.from(rows).toString()) as readonly JournalRow[] })
      }
      if (commits.length < COMMITS_PER_READ) return
    }
  }

  #publish(commit: Committed): void {
    const { version, lastTraceId, committedAt } = commit.plan
    if (version <= this.#watermark.version) return
    this.#dependencies.publish(commit.plan)
    const idLeadMs = Math.max(this.#watermark.idLeadMs, idLeadOf(lastTraceId, committedAt))
    this.#watermark = { version, lastTraceId, idLeadMs }
    for (const { committed } of this.#listeners) committed?.(commit)
  }

  /** Whether the transaction failed for what the log holds. Checked only then: planners look up their keys. */
  async #hasTaken({ traceKeys, stepKeys, metricEventKeys, attachments }: CommitPlan): Promise<boolean> {
    const known = await this.lookUp({ ...NO_UNKNOWNS, traceKeys, stepKeys, metricEventKeys, media: attachments })
    return (
      traceKeys.some(({ projectId, key }) => known.traceKey(projectId, key) !== undefined) ||
      stepKeys.some(({ traceId, key }) => known.stepKey(traceId, key) !== undefined) ||
      metricEventKeys.some(({ traceId, key }) => known.metricEventKey(traceId, key) !== undefined) ||
      attachments.some(({ projectId, sha256 }) => !known.hasMedia(projectId, sha256))
    )
  }

  /** Notifies the listeners. Returns the error of the commit. */
  #refuse(cause: unknown): DomainError {
    const error = cause instanceof DomainError && cause.code === 'disk_full' ? cause : nothingStored(cause)
    this.#dependencies.onError(cause, 'commit failed')
    for (const { refusing } of this.#listeners) refusing?.(error)
    return error
  }

  /** The answer to `COMMIT` was lost: commits are refused until it is known whether the transaction is in the log. */
  async #findOut(plan: CommitPlan, id: Uint8Array, cause: UnknownOutcomeError): Promise<CommitOutcome> {
    this.#refuse(cause)
    const found = await this.#tryToFind(plan.version, id)
    if (found === 'unknown') {
      this.#unknown = this.#findLater(plan.version, id)
      throw cause
    }
    if (found === 'absent') throw nothingStored(cause)
    return { status: 'committed', rows: found }
  }

  async #findLater(version: number, id: Uint8Array): Promise<void> {
    do await this.#dependencies.pause(RETRY_PAUSE_MS)
    while (!this.#isClosed && (await this.#tryToFind(version, id)) === 'unknown')
    this.#unknown = null
  }

  async #tryToFind(version: number, id: Uint8Array): Promise<readonly JournalRow[] | 'absent' | 'unknown'> {
    const { database, onError } = this.#dependencies
    const sql = this.#sql
    try {
      // The lock waits for the end of the lost transaction: then it is in the log, or never will be.
      await database.write(function* (): Work<void> {
        yield* first(sql.lockState({}))
      })
      const [commit] = await database.read(sql.commitsAfter({ version: version - 1, limit: 1 }))
      await this.follow()
      const isOwn = commit !== undefined && commit.version === version && Buffer.compare(commit.id, id) === 0
      return isOwn ? (JSON.parse(Buffer.from(commit.journal_rows).toString()) as readonly JournalRow[]) : 'absent'
    } catch (error) {
      onError(error, 'it is not known yet whether the last commit is in the log')
      return 'unknown'
    }
  }
}

import type { TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import { greatestOf } from '../../lib/ids/ids.ts'
import { SharedCalls } from '../../lib/flow/shared-calls.ts'
import { idLeadOf } from '../../ports/journal/creation-time.ts'
import type { CommitOutcome, CommitPlan, Known, Log, LogListener, Unknowns, Watermark } from '../../ports/log/log.ts'
import { NO_UNKNOWNS } from '../../ports/log/log.ts'
import { nothingStored } from '../commit-outcome.ts'
import { journalSqlOn } from '../sql/journal/journal-work.ts'
import { toState } from '../sql/journal/journal-rows.ts'
import { UnknownOutcomeError } from '../sql/kit/postgresql-error.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import {
  type ClusterLogSql,
  clusterLogStatementsOn,
  type ClusterLogTables,
  type FollowedCommit,
  toFollowed,
} from './cluster-log-statements.ts'
import { bytesOf, type ClusterTraceStore } from './cluster-trace-store.ts'
import { emptyPlan } from './empty-plan.ts'
import { decodePlan } from './commit-payload.ts'
import { CommitWriter, type Described, toRows, type Written } from './commit-writer.ts'
import { lookUpKeys } from './look-up-keys.ts'
import { LogGapError, LostCommitsError } from './log-errors.ts'
import { type LogHead, toHead } from './log-head.ts'
import { COMMITS_PER_READ, HeldPartitions } from './held-partitions.ts'
import { partitionOf, partitionsOf, rowsIn } from './partitions.ts'
import { renumber } from './renumber.ts'
import type { Timeline } from './timeline.ts'

export interface ClusterLogDependencies {
  /** PostgreSQL with serializable transactions. */
  readonly database: SqlDatabase<unknown>
  /** Random, 16 bytes. */
  readonly newCommitId: () => Uint8Array
  /** Where the rows of commits become readable on this node. MUST NOT throw. */
  readonly memory: Pick<ClusterTraceStore, 'publish' | 'lacking' | 'complete' | 'bridge'>
  /** Ids of traces that this node makes from now on MUST be greater: they are in commit order. */
  readonly startIdsAfter: (id: TraceId) => void
  /** What the log has settled, whenever it is read; this node knows everything through its version. MUST NOT throw. */
  readonly onHead: (head: LogHead) => void
  /** Resolves when one more commit may be written; rejects with DomainError `storage_unavailable`. */
  readonly waitForCapacity: () => Promise<void>
  /** Why that would reject, or null. */
  readonly capacityRefusal: () => DomainError | null
  /** Milliseconds of the timers. */
  readonly now: () => number
  readonly onError: (error: unknown, message: string) => void
  /** Waits before another try to find out about a commit. */
  readonly pause: (ms: number) => Promise<void>
}

const RETRY_PAUSE_MS = 250
/** After this long without a commit, nodes read the log less often. */
export const IDLE_AFTER_MS = 5000

/**
 * The log of several nodes, in PostgreSQL, which commit-writer.ts writes. Commits of all nodes have one order, and
 * positions of the journal have no gaps.
 *
 * A node follows the commits of others and publishes them in the same order as its own. It reads the rows only of
 * partitions that it holds; of others, it reads what the journal says of them (decision 0182). So a node that never
 * shows a project spends next to nothing on it.
 */
export class ClusterLog implements Log {
  readonly #dependencies: ClusterLogDependencies
  readonly #sql: ClusterLogSql
  readonly #writer: CommitWriter
  readonly #listeners = new Set<LogListener>()
  readonly #heads: SharedCalls<ReadEnd>
  #watermark: Watermark
  #timeline: Timeline | null = null
  #following: Promise<void> | null = null
  /** A commit of this node whose outcome is unknown; null in health. */
  #unknown: Promise<void> | null = null
  /** When PostgreSQL last answered with the head. */
  #readAt = -Infinity
  /** When a commit was last published here. */
  #publishedAt = -Infinity
  /** The last commit failed. */
  #isFailing = false
  #isClosed = false
  /** The partitions whose rows `follow` reads too. */
  readonly held: HeldPartitions
  /** Commits of this node that another one came before. */
  conflicts = 0

  private constructor(dependencies: ClusterLogDependencies, sql: ClusterLogSql, watermark: Watermark) {
    this.#dependencies = dependencies
    this.#sql = sql
    this.#writer = new CommitWriter({ ...dependencies, mayBeIdle: () => this.#mayBeIdle() }, sql)
    this.#heads = new SharedCalls(async () => {
      const range = { after: this.#watermark.version, limit: COMMITS_PER_READ, held: this.held.numbers() }
      const rows = await dependencies.database.read(sql.readEnd(range))
      this.#readAt = dependencies.now()
      return { head: toHead(rows[0]), commits: rows.flatMap(toFollowed) }
    })
    this.#watermark = watermark
    this.held = new HeldPartitions({
      ...dependencies,
      read: (versions) => this.#readPlans(versions),
      taken: (partitions) => this.#taken(partitions),
    })
  }

  /** Begins after the commit `after`: `follow` publishes those after it. Null: at the present end of the log. */
  static async open(dependencies: ClusterLogDependencies, after: number | null): Promise<ClusterLog> {
    const { database, startIdsAfter } = dependencies
    const sql = clusterLogStatementsOn(database.withTables<ClusterLogTables>())
    const state = toState((await database.read(journalSqlOn(database).readState({})))[0])
    const { version, lastTraceId, idLeadMs } = state
    if (lastTraceId !== null) startIdsAfter(lastTraceId)
    return new ClusterLog(dependencies, sql, { version: after ?? version, lastTraceId, idLeadMs })
  }

  watermark(): Watermark {
    return this.#watermark
  }

  begin(): Watermark {
    this.held.beginPlan()
    return this.#watermark
  }

  async lookUp(unknowns: Unknowns): Promise<Known> {
    const { known, isAnyTaken } = await lookUpKeys(this.#dependencies.database, this.#sql, unknowns)
    // Another node may have taken it just now.
    if (isAnyTaken) await this.follow()
    return known
  }

  refusal(): DomainError | null {
    return this.#unknown === null ? this.#dependencies.capacityRefusal() : nothingStored()
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async commit(plan: CommitPlan): Promise<CommitOutcome> {
    const outcome = await this.#commit(plan)
    if (outcome.status === 'conflict') this.conflicts++
    return outcome
  }

  async #commit(plan: CommitPlan): Promise<CommitOutcome> {
    await this.#refuseIfFull()
    const refusal = this.refusal()
    if (refusal !== null) throw refusal
    const partitions = partitionsOf(plan)
    // The planner has not seen all of it.
    if (!this.held.haveBeenSincePlan(partitions)) {
      await this.follow()
      await this.held.hold(partitions)
      return { status: 'conflict' }
    }
    const id = this.#dependencies.newCommitId()
    const bytes = bytesOf(plan)
    let written: Written | null
    try {
      written = await this.#writer.write({ plan, id, bytes, partitions })
    } catch (error) {
      if (error instanceof UnknownOutcomeError) return await this.#findOut(plan, id, error)
      if (!(error instanceof DomainError) && (await this.#hasTaken(plan))) return { status: 'conflict' }
      throw this.#refuse(error)
    }
    if (written === null) {
      await this.follow()
      return { status: 'conflict' }
    }
    this.#isFailing = false
    try {
      await this.#readThrough(written.version - 1)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return await this.#findOut(plan, id, new UnknownOutcomeError(error))
    }
    this.#publish(plan, { ...written, bytes, partitions })
    return { status: 'committed', ...written }
  }

  /** This wait bounds the memory of rows that have not settled. */
  async #refuseIfFull(): Promise<void> {
    try {
      await this.#dependencies.waitForCapacity()
    } catch (error) {
      if (error instanceof DomainError) for (const { refusing } of this.#listeners) refusing?.(error)
      throw error
    }
  }

  /**
   * Publishes what other nodes have committed. When it resolves, everything that any node had acknowledged before the
   * call is known here, and readable if its partition is held. Calls of a moment share one query. Rejects with
   * DomainError `storage_unavailable`, with LogGapError, and with LostCommitsError.
   */
  async follow(): Promise<void> {
    // One that is under way may have read before the latest acknowledgement.
    await this.#following?.catch(() => undefined)
    this.#following ??= this.#readOn().finally(() => (this.#following = null))
    await this.#following
  }

  async *#readPlans(versions: readonly number[]): AsyncGenerator<CommitPlan> {
    for (const { version, payload } of await this.#dependencies.database.read(this.#sql.payloadsOf({ versions }))) {
      const plan = renumber(await decodePlan(payload), version, null)
      yield plan
      this.#raise({ version, lastTraceId: plan.lastTraceId, idLeadMs: idLeadOf(plan.lastTraceId, plan.committedAt) })
    }
  }

  #taken(partitions: ReadonlySet<number>): void {
    const behind = this.#dependencies.memory.bridge(partitions, this.#watermark.lastTraceId)
    if (behind.size === 0) return
    for (const { missed } of this.#listeners) missed?.((projectId) => behind.has(partitionOf(projectId)))
  }

  /** `LogHead.controlVersion`, as of the call or later; one query for all callers of a moment, `follow` included. */
  async controlVersion(): Promise<number> {
    return (await this.#heads.next()).head.controlVersion
  }

  /** Whether PostgreSQL has answered a read of the log within this time. */
  wasReadWithin(ms: number): boolean {
    return this.#dependencies.now() - this.#readAt <= ms
  }

  /** Whether any node has committed within this time, as far as this one knows. */
  hasCommittedWithin(ms: number): boolean {
    return this.#dependencies.now() - this.#publishedAt <= ms
  }

  /**
   * Rejects while commits fail. Asks nothing unless the last commit failed; then it writes as much as a small commit,
   * and removes it again.
   */
  async probe(): Promise<void> {
    if (!this.#isFailing) return
    await this.#writer.probe()
    this.#isFailing = false
  }

  /** Ends the search for an unknown outcome; resolves when it has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#unknown
  }

  /** Whether other nodes may read the log as seldom as idle ones do. */
  #mayBeIdle(): boolean {
    return !this.hasCommittedWithin(IDLE_AFTER_MS / 2)
  }

  async #readOn(): Promise<void> {
    const { onHead } = this.#dependencies
    const { version: known } = this.#watermark
    const { head, commits } = await this.#heads.next()
    const timeline = (this.#timeline ??= head.timeline)
    if (head.version < known || head.timeline !== timeline) {
      const place = (version: number, of: Timeline) => `commit ${version} of the timeline ${of}`
      throw new LostCommitsError(place(known, timeline), place(head.version, head.timeline))
    }
    await this.#take(commits)
    await this.#readThrough(head.version)
    this.#raise(head)
    onHead(head)
  }

  async #readThrough(through: number): Promise<void> {
    const { database } = this.#dependencies
    while (this.#watermark.version < through) {
      const { version: after } = this.#watermark
      const range = { after, through, limit: COMMITS_PER_READ, held: this.held.numbers() }
      const commits = await database.read(this.#sql.commitsAfter(range))
      if (commits.length === 0 && this.#watermark.version === after) throw new LogGapError(after, through + 1)
      await this.#take(commits)
    }
  }

  /** Publishes these commits; without the rest, if a partition was taken since they were read. */
  async #take(commits: readonly FollowedCommit[]): Promise<void> {
    for (const { version, payload, bytes, partitions: named, ...rows } of commits) {
      const partitions = named.map(Number)
      // It may have been published while its payload was read.
      if (version <= this.#watermark.version) continue
      if (version !== this.#watermark.version + 1) throw new LogGapError(this.#watermark.version, version)
      if (payload === null && partitions.some((number) => this.held.has(number))) return
      const plan = payload === null ? emptyPlan({ version, committedAt: 0 }) : await decodePlan(payload)
      this.#publish(plan, { version, rows: toRows(rows), bytes, partitions })
    }
  }

  #publish(planned: CommitPlan, { version, rows, bytes, partitions }: Written & Described): void {
    if (version <= this.#watermark.version) return
    const { lastTraceId, committedAt } = planned
    const whole = renumber(planned, version, this.#watermark.lastTraceId)
    const missing = partitions.filter((number) => !this.held.has(number))
    const plan = missing.length === 0 ? whole : rowsIn(whole, new Set(this.held.numbers()))
    this.#dependencies.memory.publish(plan, bytes, missing)
    this.#publishedAt = this.#dependencies.now()
    this.#raise({ version, lastTraceId, idLeadMs: idLeadOf(lastTraceId, committedAt) })
    for (const { committed } of this.#listeners) committed?.({ plan, rows })
  }

  #raise({ version, lastTraceId, idLeadMs }: Watermark): void {
    if (lastTraceId !== null) this.#dependencies.startIdsAfter(lastTraceId)
    this.#watermark = {
      version: Math.max(this.#watermark.version, version),
      lastTraceId: greatestOf(lastTraceId, this.#watermark.lastTraceId),
      idLeadMs: Math.max(this.#watermark.idLeadMs, idLeadMs),
    }
  }

  /** Whether the transaction failed for what the log holds. Checked only then: planners look up their keys. */
  async #hasTaken({ traceKeys, stepKeys, metricEventKeys, attachments }: CommitPlan): Promise<boolean> {
    const known = await this.lookUp({ ...NO_UNKNOWNS, traceKeys, stepKeys, metricEventKeys, media: attachments })
    return (
      traceKeys.some(({ projectId, key }) => known.traceKey(projectId, key) !== undefined) ||
      stepKeys.some(({ traceId, key }) => known.stepKey(traceId, key) !== undefined) ||
      metricEventKeys.some(({ traceId, key }) => known.metricEventKey(traceId, key) !== undefined) ||
      attachments.some(({ stored, projectId, sha256 }) =>
        stored === undefined ? !known.hasMedia(projectId, sha256) : stored.isGone === true,
      )
    )
  }

  /** Notifies the listeners. Returns the error of the commit. */
  #refuse(cause: unknown): DomainError {
    const error = cause instanceof DomainError && cause.code === 'disk_full' ? cause : nothingStored(cause)
    this.#isFailing = true
    this.#dependencies.onError(cause, 'commit failed')
    for (const { refusing } of this.#listeners) refusing?.(error)
    return error
  }

  /** The answer to `COMMIT` was lost: commits are refused until it is known whether the transaction is in the log. */
  async #findOut(plan: CommitPlan, id: Uint8Array, cause: UnknownOutcomeError): Promise<CommitOutcome> {
    this.#refuse(cause)
    const found = await this.#tryToFind(plan, id)
    if (found === 'unknown') {
      this.#unknown = this.#findLater(plan, id)
      throw cause
    }
    if (found === 'absent') throw nothingStored(cause)
    return { status: 'committed', ...found }
  }

  async #findLater(plan: CommitPlan, id: Uint8Array): Promise<void> {
    do await this.#dependencies.pause(RETRY_PAUSE_MS)
    while (!this.#isClosed && (await this.#tryToFind(plan, id)) === 'unknown')
    this.#unknown = null
  }

  async #tryToFind(plan: CommitPlan, id: Uint8Array): Promise<Written | 'absent' | 'unknown'> {
    try {
      const commit = await this.#writer.find(plan, id)
      await this.follow()
      return commit ?? 'absent'
    } catch (error) {
      this.#dependencies.onError(error, 'it is not known yet whether the last commit is in the log')
      return 'unknown'
    }
  }
}

/** The head of the log, and commits before it that this node had not read. */
interface ReadEnd {
  readonly head: LogHead
  readonly commits: readonly FollowedCommit[]
}

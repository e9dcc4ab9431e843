import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import {
  type CommitRecord,
  type DeletedTrace,
  type Journal,
  type JournalRow,
  type MetricEventKey,
  type RemovalMark,
  rowsOfEvents,
  type StepKey,
  type SupersededKeys,
  type TraceKey,
  type TraceName,
} from '../../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../../embedded/embedded-journal.ts'
import { idLeadOf } from '../../../ports/journal/creation-time.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import type { SqliteDatabase } from '../kit/sqlite-database.ts'
import { compactKey, hashedKey, sha256Bytes, sha256Hex } from './compact-key.ts'
import { forgetProjectTexts } from './forget-trace.ts'
import { pruneRows, pruneSupersededKeys, PRUNE_ROWS } from './journal-pruning.ts'
import {
  type JournalState,
  metricEventKey,
  toDeletedTrace,
  toRemovalMark,
  toTraceName,
  toJournalRows,
  toState,
  toSuperseded,
} from './journal-rows.ts'
import type { JournalTables } from './journal-tables.ts'
import { appendCommit, forgetRemovals, type JournalSql, journalSqlOn, purgeTraces } from './journal-work.ts'

const NO_EVENTS: ReadonlySet<MetricEventId> = new Set()

/**
 * The journal in SQLite: one transaction, and so one fsync, per group commit. Only this process writes these tables;
 * the command line writes others of the same database.
 */
export class SqliteJournal implements Journal, EmbeddedJournal {
  readonly #database: SqliteDatabase<JournalTables>
  readonly #sql: JournalSql
  /** Whether any trace is marked as deleted. While none is, readers of the tail need no look-up per event. */
  #hasDeleted: boolean
  #hasRemoved: boolean
  /** A copy of the state row's value: every look-up of a trace needs it. */
  #idLeadMs: number

  constructor(database: SqliteDatabase<unknown>) {
    this.#database = database.withTables<JournalTables>()
    this.#sql = journalSqlOn(database)
    this.#hasDeleted = this.#anyDeleted()
    this.#hasRemoved = this.#anyRemoved()
    this.#idLeadMs = this.#readState().idLeadMs
  }

  append(commit: CommitRecord): readonly JournalRow[] {
    const rows = this.#database.writeNow(() => appendCommit(this.#sql, commit))
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadOf(commit.lastTraceId, commit.committedAt))
    if (commit.deleted.length > 0) this.#hasDeleted = true
    if (commit.removedEvents.length > 0) this.#hasRemoved = true
    return rows
  }

  /** Overwrites what a failed flush may have left after the end of SQLite's log. */
  confirmLast(): void {
    const sql = this.#sql
    this.#database.writeNow(() => run(sql.confirmState({})))
  }

  last(): { readonly version: number; readonly lastTraceId: TraceId | null } {
    const { version, lastTraceId } = this.#readState()
    return { version, lastTraceId }
  }

  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void {
    const sql = this.#sql
    this.#database.writeNow(function* (): Work<void> {
      const { version: last, headPosition } = toState(yield* first(sql.readState({})))
      if (version < last) throw new Error(`commit ${version} comes before commit ${last}`)
      const id = lastTraceId === null ? null : idToBytes(lastTraceId)
      yield* run(sql.updateState({ version, lastTraceId: id, headPosition }))
      yield* run(sql.raiseIdLead({ idLeadMs }))
    })
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadMs)
  }

  idLeadMs(): number {
    return this.#idLeadMs
  }

  hasMedia(projectId: ProjectId, sha256: string): boolean {
    const name = { projectId: idToBytes(projectId), sha256: sha256Bytes(sha256) }
    return this.#database.firstNow(this.#sql.media.mediaKey(name)) !== undefined
  }

  attachmentsOf(traceId: TraceId): number {
    return Number(this.#database.firstNow(this.#sql.media.countAttachments({ traceId: idToBytes(traceId) }))?.count)
  }

  async read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const page = { projectId: idToBytes(projectId), after, limit: limitEvents }
    const rows = this.#database.iterateNow(this.#sql.readRows(page))
    return rowsOfEvents(
      toJournalRows(rows, () => projectId),
      after,
      limitEvents,
    )
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const rows = this.#database.iterateNow(this.#sql.readAllRows({ after }))
    return rowsOfEvents(
      toJournalRows(rows, (row) => idFromBytes('proj', row.project_id)),
      after,
      limitEvents,
    )
  }

  async headPosition(): Promise<number> {
    return this.#readState().headPosition
  }

  async prunedThrough(): Promise<number> {
    return this.#readState().prunedThrough
  }

  async prune(before: number, limitRows = PRUNE_ROWS, throughPosition = Infinity, now = Infinity): Promise<number> {
    const pruned = this.#database.writeNow(() => pruneRows(this.#sql, before, limitRows, throughPosition, now))
    if (pruned > 0) this.#hasDeleted = this.#anyDeleted()
    return pruned
  }

  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    const project = idToBytes(projectId)
    const find = (compact: Uint8Array) =>
      this.#database.firstNow(this.#sql.findTraceKey({ projectId: project, key: compact }))
    // Versions before 0050 stored short keys whole.
    const row = find(hashedKey(key)) ?? find(compactKey(key))
    if (row === undefined) return undefined
    return { projectId, key, bodyHash: sha256Hex(row.body_hash), traceId: idFromBytes('tr', row.trace_id) }
  }

  findStepKey(traceId: TraceId, key: string): StepKey | undefined {
    const row = this.#findStepKey(traceId, compactKey(key))
    if (row === undefined) return undefined
    return { traceId, key, stepId: idFromBytes('st', row.step_id), contentHash: sha256Hex(row.content_hash) }
  }

  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined {
    const row = this.#findStepKey(traceId, metricEventKey(key))
    if (row === undefined) return undefined
    return { traceId, key, eventId: idFromBytes('mev', row.step_id), contentHash: sha256Hex(row.content_hash) }
  }

  async supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]> {
    const rows = this.#database.readNow(this.#sql.supersededAt({ projectId: idToBytes(projectId), version }))
    return rows.map((row) => toSuperseded(row, projectId))
  }

  async quietSince(version: number, limit: number): Promise<readonly TraceName[]> {
    return this.#database.readNow(this.#sql.quietSince({ version, limit })).map(toTraceName)
  }

  async pruneSuperseded(before: number, limitRows = PRUNE_ROWS): Promise<number> {
    return this.#database.writeNow(() => pruneSupersededKeys(this.#sql, before, limitRows))
  }

  async deletedAmong(traceIds: readonly TraceId[], onlyForGood = false): Promise<ReadonlySet<TraceId>> {
    if (!this.#hasDeleted) return new Set()
    const statement = onlyForGood ? this.#sql.isDeletedForGood : this.#sql.isDeleted
    const isDeleted = (traceId: TraceId) =>
      this.#database.firstNow(statement({ traceId: idToBytes(traceId) })) !== undefined
    return new Set(traceIds.filter(isDeleted))
  }

  async pendingPurges(limit: number, after?: TraceId, withoutExpired = false): Promise<readonly DeletedTrace[]> {
    if (!this.#hasDeleted) return []
    const page = { after: after === undefined ? new Uint8Array() : idToBytes(after), limit }
    const statement = withoutExpired ? this.#sql.pendingWithMetrics : this.#sql.pendingPurges
    return this.#database.readNow(statement(page)).map(toDeletedTrace)
  }

  async restorableUntil(traceId: TraceId): Promise<number | null> {
    const row = this.#database.firstNow(this.#sql.restorableUntil({ traceId: idToBytes(traceId) }))
    return row === undefined ? null : Number(row.restorable_until)
  }

  async pendingPurgeCount(limit: number, through = Number.MAX_SAFE_INTEGER): Promise<number> {
    if (!this.#hasDeleted) return 0
    return Number(this.#database.firstNow(this.#sql.pendingPurgeCount({ limit, through }))?.count)
  }

  async markPurged(traceIds: readonly TraceId[]): Promise<void> {
    this.#database.writeNow(() => purgeTraces(this.#sql, traceIds))
    this.#hasDeleted = this.#anyDeleted()
  }

  async forgetTexts(projectId: ProjectId): Promise<number> {
    return this.#database.writeNow(() => forgetProjectTexts(this.#sql, projectId))
  }

  async removedEvents(projectId: ProjectId): Promise<ReadonlySet<MetricEventId>> {
    if (!this.#hasRemoved) return NO_EVENTS
    const rows = this.#database.readNow(this.#sql.removedEvents({ projectId: idToBytes(projectId) }))
    return new Set(rows.map((row) => idFromBytes('mev', row.event_id)))
  }

  async removalMarks(limit: number): Promise<readonly RemovalMark[]> {
    return this.#hasRemoved ? this.#database.readNow(this.#sql.removalMarks({ limit })).map(toRemovalMark) : []
  }

  async forgetRemovals(ids: readonly MetricEventId[]): Promise<void> {
    this.#database.writeNow(() => forgetRemovals(this.#sql, ids))
    this.#hasRemoved = this.#anyRemoved()
  }

  #anyRemoved(): boolean {
    return this.#database.firstNow(this.#sql.anyRemoved({})) !== undefined
  }

  #anyDeleted(): boolean {
    return this.#database.firstNow(this.#sql.anyDeleted({})) !== undefined
  }

  #findStepKey(traceId: TraceId, key: Uint8Array) {
    return this.#database.firstNow(this.#sql.findStepKey({ traceId: idToBytes(traceId), key }))
  }

  #readState(): JournalState {
    return toState(this.#database.firstNow(this.#sql.readState({})))
  }
}

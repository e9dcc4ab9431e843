import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import {
  type CommitRecord,
  type DeletedTrace,
  type JournalRow,
  type MetricEventKey,
  type RemovalMark,
  rowsOfEvents,
  type StepKey,
  type TraceKey,
} from '../../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../../embedded/embedded-journal.ts'
import { idLeadOf } from '../../../ports/journal/creation-time.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { first, run, type Work } from '../kit/sql-database.ts'
import type { SqliteDatabase } from '../kit/sqlite-database.ts'
import {
  compactKey,
  hashedKey,
  LASTING,
  sha256Bytes,
  sha256Hex,
  stepKeyExpires,
  traceKeyExpires,
} from './compact-key.ts'
import { type JournalState, metricEventKey, toJournalRows, toState } from './journal-rows.ts'
import type { JournalTables } from './journal-tables.ts'
import { appendCommit } from './journal-work.ts'
import { SqlJournal } from './sql-journal.ts'

const NO_EVENTS: ReadonlySet<MetricEventId> = new Set()

/**
 * The journal in SQLite: one transaction, and so one fsync, per group commit. Only this process writes these tables;
 * the command line writes others of the same database.
 */
export class SqliteJournal extends SqlJournal implements EmbeddedJournal {
  readonly #database: SqliteDatabase<JournalTables>
  /** Whether any trace is marked as deleted. While none is, readers of the tail need no look-up per event. */
  #hasDeleted: boolean
  #hasRemoved: boolean
  /** A copy of the state row's value: every look-up of a trace needs it. */
  #idLeadMs: number
  /** Another copy: every look-up of a key needs it. */
  #keyGeneration: number

  constructor(database: SqliteDatabase<unknown>) {
    super(database)
    this.#database = database.withTables<JournalTables>()
    this.#hasDeleted = this.#anyDeleted()
    this.#hasRemoved = this.#anyRemoved()
    const { idLeadMs, keyGeneration } = this.#readState()
    this.#idLeadMs = idLeadMs
    this.#keyGeneration = keyGeneration
  }

  append(commit: CommitRecord): readonly JournalRow[] {
    const rows = this.#database.writeNow(() => appendCommit(this.sql, commit))
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadOf(commit.lastTraceId, commit.committedAt))
    if (commit.deleted.length > 0) this.#hasDeleted = true
    if (commit.removedEvents.length > 0) this.#hasRemoved = true
    return rows
  }

  /** Overwrites what a failed flush may have left after the end of SQLite's log. */
  confirmLast(): void {
    const sql = this.sql
    this.#database.writeNow(() => run(sql.confirmState({})))
  }

  last(): { readonly version: number; readonly lastTraceId: TraceId | null } {
    const { version, lastTraceId } = this.#readState()
    return { version, lastTraceId }
  }

  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void {
    const sql = this.sql
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
    return this.#database.firstNow(this.sql.media.mediaKey(name)) !== undefined
  }

  attachmentsOf(traceId: TraceId): number {
    return Number(this.#database.firstNow(this.sql.media.countAttachments({ traceId: idToBytes(traceId) }))?.count)
  }

  override async read(projectId: ProjectId, after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const page = { projectId: idToBytes(projectId), after, limit: limitEvents }
    const rows = this.#database.iterateNow(this.sql.readRows(page))
    return rowsOfEvents(
      toJournalRows(rows, () => projectId),
      after,
      limitEvents,
    )
  }

  override async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const rows = this.#database.iterateNow(this.sql.readAllRows({ after }))
    return rowsOfEvents(
      toJournalRows(rows, (row) => idFromBytes('proj', row.project_id)),
      after,
      limitEvents,
    )
  }

  override async prune(...range: Parameters<SqlJournal['prune']>): Promise<number> {
    const pruned = await super.prune(...range)
    if (pruned > 0) this.#hasDeleted = this.#anyDeleted()
    return pruned
  }

  override async expireKeys(...window: Parameters<SqlJournal['expireKeys']>): Promise<number> {
    const removed = await super.expireKeys(...window)
    this.#keyGeneration = this.#readState().keyGeneration
    return removed
  }

  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    const stored = { projectId: idToBytes(projectId), key: hashedKey(key) }
    const row = this.#inGenerations(traceKeyExpires(key), (generation) =>
      this.#database.firstNow(this.sql.findTraceKey({ ...stored, generation })),
    )
    if (row === undefined) return undefined
    return { projectId, key, bodyHash: sha256Hex(row.body_hash), traceId: idFromBytes('tr', row.trace_id) }
  }

  findStepKey(traceId: TraceId, key: string): StepKey | undefined {
    const row = this.#findStepKey(traceId, compactKey(key), stepKeyExpires(key))
    if (row === undefined) return undefined
    return { traceId, key, stepId: idFromBytes('st', row.step_id), contentHash: sha256Hex(row.content_hash) }
  }

  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined {
    const row = this.#findStepKey(traceId, metricEventKey(key), false)
    if (row === undefined) return undefined
    return { traceId, key, eventId: idFromBytes('mev', row.step_id), contentHash: sha256Hex(row.content_hash) }
  }

  override async deletedAmong(traceIds: readonly TraceId[], onlyForGood = false): Promise<ReadonlySet<TraceId>> {
    return this.#hasDeleted ? super.deletedAmong(traceIds, onlyForGood) : new Set()
  }

  override async pendingPurges(...page: Parameters<SqlJournal['pendingPurges']>): Promise<readonly DeletedTrace[]> {
    return this.#hasDeleted ? super.pendingPurges(...page) : []
  }

  override async pendingPurgeCount(limit: number, through?: number): Promise<number> {
    return this.#hasDeleted ? super.pendingPurgeCount(limit, through) : 0
  }

  override async markPurged(traceIds: readonly TraceId[]): Promise<void> {
    await super.markPurged(traceIds)
    this.#hasDeleted = this.#anyDeleted()
  }

  override async removedEvents(projectId: ProjectId): Promise<ReadonlySet<MetricEventId>> {
    return this.#hasRemoved ? super.removedEvents(projectId) : NO_EVENTS
  }

  override async removalMarks(limit: number): Promise<readonly RemovalMark[]> {
    return this.#hasRemoved ? super.removalMarks(limit) : []
  }

  override async forgetRemovals(ids: readonly MetricEventId[]): Promise<void> {
    await super.forgetRemovals(ids)
    this.#hasRemoved = this.#anyRemoved()
  }

  #anyRemoved(): boolean {
    return this.#database.firstNow(this.sql.anyRemoved({})) !== undefined
  }

  #anyDeleted(): boolean {
    return this.#database.firstNow(this.sql.anyDeleted({})) !== undefined
  }

  #findStepKey(traceId: TraceId, key: Uint8Array, expires: boolean) {
    const stored = { traceId: idToBytes(traceId), key }
    return this.#inGenerations(expires, (generation) =>
      this.#database.firstNow(this.sql.findStepKey({ ...stored, generation })),
    )
  }

  #inGenerations<Row>(expires: boolean, find: (generation: number) => Row | undefined): Row | undefined {
    return expires ? (find(this.#keyGeneration) ?? find(this.#keyGeneration - 1)) : find(LASTING)
  }

  #readState(): JournalState {
    return toState(this.#database.firstNow(this.sql.readState({})))
  }
}

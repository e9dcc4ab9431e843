import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type {
  CommitRecord,
  DeletedTrace,
  Journal,
  JournalEvent,
  JournalRow,
  MetricEventKey,
  StepKey,
  SupersededKeys,
  TraceKey,
} from '../../../ports/journal/journal.ts'
import type { EmbeddedJournal } from '../../embedded/embedded-journal.ts'
import { idLeadOf } from '../../../ports/journal/creation-time.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import type { SqliteDatabase } from '../kit/sqlite-database.ts'
import { linkMedia, releaseMedia } from '../media/attachment-changes.ts'
import { type AttachmentStatements, attachmentStatementsOn } from '../media/attachment-statements.ts'
import type { MediaTables } from '../media/media-tables.ts'
import { applyTransition } from '../monitors/monitor-changes.ts'
import { type MonitorStatements, monitorStatementsOn } from '../monitors/monitor-statements.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'
import { compactKey, hashedKey, sha256Bytes, sha256Hex } from './compact-key.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import { forgetTrace } from './forget-trace.ts'
import { type JournalStatements, journalStatementsOn } from './journal-statements.ts'
import type { JournalTables } from './journal-tables.ts'

const PRUNE_ROWS = 10_000
const FORGET_STEP_KEYS = 20_000
/** The events of a run are emitted when it is made, or at the next start. After this time nothing repeats them. */
const RUNS_RETAINED_MS = 30 * 24 * 3600 * 1000

interface State {
  readonly version: number
  readonly lastTraceId: TraceId | null
  readonly headPosition: number
  readonly prunedThrough: number
  readonly idLeadMs: number
}

/**
 * The journal in SQLite: one transaction, and so one fsync, per group commit. Only this process writes these tables;
 * the command line writes others of the same database.
 */
export class SqliteJournal implements Journal, EmbeddedJournal {
  readonly #database: SqliteDatabase<JournalTables>
  readonly #sql: JournalStatements
  readonly #media: AttachmentStatements
  readonly #monitors: MonitorStatements
  /** Whether any trace is marked as deleted. While none is, readers of the tail need no look-up per event. */
  #hasDeleted: boolean
  /** A copy of the state row's value: every look-up of a trace needs it. */
  #idLeadMs: number

  constructor(database: SqliteDatabase<unknown>) {
    this.#database = database.withTables<JournalTables>()
    this.#sql = journalStatementsOn(this.#database)
    this.#media = attachmentStatementsOn(database.withTables<MediaTables>())
    this.#monitors = monitorStatementsOn(database.withTables<MonitorTables>())
    this.#hasDeleted = this.#anyDeleted()
    this.#idLeadMs = this.#readState().idLeadMs
  }

  append(commit: CommitRecord): readonly JournalRow[] {
    const idLeadMs = idLeadOf(commit.lastTraceId, commit.committedAt)
    const rows = this.#database.writeNow(() => this.#append(commit, idLeadMs))
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadMs)
    if (commit.deleted.length > 0) this.#hasDeleted = true
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
    return this.#database.firstNow(this.#media.mediaKey(name)) !== undefined
  }

  attachmentsOf(traceId: TraceId): number {
    return Number(this.#database.firstNow(this.#media.countAttachments({ traceId: idToBytes(traceId) }))?.count)
  }

  async read(projectId: ProjectId, after: number, limitRows: number): Promise<readonly JournalRow[]> {
    const page = { projectId: idToBytes(projectId), after, limit: limitRows }
    return this.#database.readNow(this.#sql.readRows(page)).map((row) => ({
      projectId,
      lastPosition: row.last_position,
      committedAt: row.committed_at,
      events: decodeEvents(row.events),
    }))
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    const rows: JournalRow[] = []
    let count = 0
    for (const row of this.#database.iterateNow(this.#sql.readAllRows({ after }))) {
      const { last_position: lastPosition, committed_at: committedAt } = row
      const events = decodeEvents(row.events)
      rows.push({ projectId: idFromBytes('proj', row.project_id), lastPosition, committedAt, events })
      count += Math.min(events.length, lastPosition - after)
      if (count >= limitEvents) break
    }
    return rows
  }

  async headPosition(): Promise<number> {
    return this.#readState().headPosition
  }

  async prunedThrough(): Promise<number> {
    return this.#readState().prunedThrough
  }

  async prune(before: number, limitRows = PRUNE_ROWS, throughPosition = Infinity, now = Infinity): Promise<number> {
    const sql = this.#sql
    const pruned = this.#database.writeNow(function* (): Work<number> {
      const { removed, last: position } = yield* expiredRows(sql, before, limitRows, throughPosition, now)
      if (removed === 0) return 0
      yield* run(sql.deleteRowsThrough({ position }))
      yield* run(sql.deleteFlagReasonsThrough({ position }))
      yield* run(sql.setPrunedThrough({ position }))
      yield* run(sql.deletePurgedThrough({ position }))
      return removed
    })
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
    return rows.map((row) => ({
      projectId,
      traceId: idFromBytes('tr', row.trace_id),
      fromVersion: row.from_version,
      untilVersion: row.until_version,
      durationMs: row.duration_ms,
      totalTokens: row.total_tokens,
      stepCount: row.step_count,
    }))
  }

  async pruneSuperseded(before: number, limitRows = PRUNE_ROWS): Promise<number> {
    const sql = this.#sql
    return this.#database.writeNow(function* (): Work<number> {
      let removed = 0
      let project = yield* first(sql.nextSupersededProject({ after: new Uint8Array() }))
      while (project !== undefined && removed < limitRows) {
        const projectId = project.project_id
        for (const row of yield* all(sql.oldestSuperseded({ projectId, limit: limitRows - removed }))) {
          if (row.superseded_at >= before) break
          yield* run(sql.deleteSuperseded({ projectId, untilVersion: row.until_version, traceId: row.trace_id }))
          removed += 1
        }
        project = yield* first(sql.nextSupersededProject({ after: projectId }))
      }
      return removed
    })
  }

  async deletedAmong(traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    if (!this.#hasDeleted) return new Set()
    const isDeleted = (traceId: TraceId) =>
      this.#database.firstNow(this.#sql.isDeleted({ traceId: idToBytes(traceId) })) !== undefined
    return new Set(traceIds.filter(isDeleted))
  }

  async pendingPurges(limit: number, after?: TraceId): Promise<readonly DeletedTrace[]> {
    if (!this.#hasDeleted) return []
    const page = { after: after === undefined ? new Uint8Array() : idToBytes(after), limit }
    return this.#database.readNow(this.#sql.pendingPurges(page)).map((row) => ({
      projectId: idFromBytes('proj', row.project_id),
      traceId: idFromBytes('tr', row.trace_id),
    }))
  }

  async pendingPurgeCount(limit: number): Promise<number> {
    if (!this.#hasDeleted) return 0
    return Number(this.#database.firstNow(this.#sql.pendingPurgeCount({ limit }))?.count)
  }

  async markPurged(traceIds: readonly TraceId[]): Promise<void> {
    this.#database.writeNow(() => this.#markPurged(traceIds))
    this.#hasDeleted = this.#anyDeleted()
  }

  *#markPurged(traceIds: readonly TraceId[]): Work<void> {
    const sql = this.#sql
    let remaining = FORGET_STEP_KEYS
    for (const id of traceIds) {
      const traceId = idToBytes(id)
      if ((yield* first(sql.isToPurge({ traceId }))) === undefined) continue
      remaining -= yield* run(sql.deleteStepKeys({ traceId, limit: remaining }))
      if (remaining === 0) break
      yield* releaseMedia(this.#media, traceId)
      yield* forgetTrace(sql, traceId)
      yield* run(sql.setPurged({ traceId }))
    }
    const { prunedThrough } = toState(yield* first(sql.readState({})))
    yield* run(sql.deletePurgedThrough({ position: prunedThrough }))
  }

  #anyDeleted(): boolean {
    return this.#database.firstNow(this.#sql.anyDeleted({})) !== undefined
  }

  #findStepKey(traceId: TraceId, key: Uint8Array) {
    return this.#database.firstNow(this.#sql.findStepKey({ traceId: idToBytes(traceId), key }))
  }

  #readState(): State {
    return toState(this.#database.firstNow(this.#sql.readState({})))
  }

  *#append(commit: CommitRecord, idLeadMs: number): Work<readonly JournalRow[]> {
    const sql = this.#sql
    const state = toState(yield* first(sql.readState({})))
    if (commit.version <= state.version) throw new Error(`commit ${commit.version} comes after commit ${state.version}`)
    const { rows, headPosition } = yield* this.#insertRows(commit, state.headPosition)
    yield* insertKeys(sql, commit)
    yield* insertSuperseded(sql, commit)
    for (const link of commit.attachments) yield* linkMedia(this.#media, link, commit.committedAt)
    for (const deleted of commit.deleted) {
      const traceId = idToBytes(deleted.traceId)
      yield* run(sql.insertDeleted({ traceId, projectId: idToBytes(deleted.projectId), position: headPosition }))
      yield* releaseMedia(this.#media, traceId)
    }
    const lastTraceId = commit.lastTraceId === null ? null : idToBytes(commit.lastTraceId)
    yield* run(sql.updateState({ version: commit.version, lastTraceId, headPosition }))
    if (idLeadMs > this.#idLeadMs) yield* run(sql.raiseIdLead({ idLeadMs }))
    return rows
  }

  *#insertRows(commit: CommitRecord, head: number): Work<{ rows: JournalRow[]; headPosition: number }> {
    const refused = yield* this.#refusedEvents(commit)
    const { committedAt } = commit
    const rows: JournalRow[] = []
    let headPosition = head
    for (const { projectId, events: planned } of commit.projects) {
      const events = refused.size === 0 ? planned : planned.filter((one) => !isRefused(one, refused))
      headPosition += events.length
      if (events.length > 0) {
        const row = { position: headPosition, projectId: idToBytes(projectId), committedAt }
        yield* run(this.#sql.insertRow({ ...row, events: encodeEvents(events) }))
        yield* recordReasons(this.#sql, events, headPosition)
      }
      rows.push({ projectId, lastPosition: headPosition, committedAt, events })
    }
    return { rows, headPosition }
  }

  /** Applies the transitions and marks the runs. Returns the transitions and events of runs that are left out. */
  *#refusedEvents({ monitorTransitions, clusterRuns, committedAt }: CommitRecord): Work<ReadonlySet<object>> {
    const refused = new Set<object>()
    for (const transition of monitorTransitions) {
      if (!(yield* applyTransition(this.#monitors, transition, committedAt))) refused.add(transition)
    }
    if (clusterRuns.length === 0) return refused
    yield* run(this.#sql.deleteRunsBefore({ before: committedAt - RUNS_RETAINED_MS }))
    for (const { runId, events } of clusterRuns) {
      const isNew = (yield* run(this.#sql.markRunEmitted({ runId, at: committedAt }))) > 0
      if (!isNew) for (const event of events) refused.add(event)
    }
    return refused
  }
}

interface StateColumns {
  readonly version: number
  readonly last_trace_id: Uint8Array | null
  readonly head_position: number
  readonly pruned_through: number
  readonly id_lead_ms: number
}

function toState(row: StateColumns | undefined): State {
  if (row === undefined) throw new Error('the journal has lost its state row')
  return {
    version: row.version,
    lastTraceId: row.last_trace_id === null ? null : idFromBytes('tr', row.last_trace_id),
    headPosition: row.head_position,
    prunedThrough: row.pruned_through,
    idLeadMs: row.id_lead_ms,
  }
}

/**
 * Counts the oldest rows that have expired, and returns the position of the last of them. A row from the future is as
 * old as the next row that is not.
 */
function* expiredRows(
  sql: JournalStatements,
  before: number,
  limit: number,
  throughPosition: number,
  now: number,
): Work<{ readonly removed: number; readonly last: number }> {
  let [removed, last] = [0, 0]
  let [ahead, lastAhead] = [0, 0]
  for (const { last_position: position, committed_at: committedAt } of yield* all(sql.oldestRows({ limit }))) {
    if (position > throughPosition) break
    if (committedAt > now) {
      ahead += 1
      lastAhead = position
      continue
    }
    if (committedAt >= before) return { removed, last }
    removed += ahead + 1
    last = position
    ahead = 0
  }
  if (ahead === 0) return { removed, last }
  const next = yield* first(sql.nextRowNotAfter({ position: lastAhead, time: now }))
  const hasExpired = next !== undefined && next.committed_at < before
  return hasExpired ? { removed: removed + ahead, last: lastAhead } : { removed, last }
}

/** Records where reasons of flags are, so that they are found when their trace is purged. */
function* recordReasons(sql: JournalStatements, events: readonly JournalEvent[], position: number): Work<void> {
  for (const event of events) {
    if (event.type !== 'trace.flagged' || event.reason === null) continue
    yield* run(sql.addFlagReason({ traceId: idToBytes(event.traceId), position }))
  }
}

/** A commit may bring thousands of keys: statements are yielded without `run`, and ids are converted once per trace. */
function* insertKeys(sql: JournalStatements, { traceKeys, stepKeys, metricEventKeys }: CommitRecord): Work<void> {
  for (const { projectId, key, bodyHash, traceId } of traceKeys) {
    yield sql.insertTraceKey({
      project_id: idToBytes(projectId),
      key: hashedKey(key),
      body_hash: sha256Bytes(bodyHash),
      trace_id: idToBytes(traceId),
    })
  }
  let [lastTraceId, lastTrace]: [TraceId | null, Uint8Array] = [null, new Uint8Array()]
  for (const { traceId, key, stepId, contentHash } of stepKeys) {
    if (traceId !== lastTraceId) [lastTraceId, lastTrace] = [traceId, idToBytes(traceId)]
    yield sql.insertStepKey({
      trace_id: lastTrace,
      key: compactKey(key),
      step_id: idToBytes(stepId),
      content_hash: sha256Bytes(contentHash),
    })
  }
  for (const { traceId, key, eventId, contentHash } of metricEventKeys) {
    yield sql.insertStepKey({
      trace_id: idToBytes(traceId),
      key: metricEventKey(key),
      step_id: idToBytes(eventId),
      content_hash: sha256Bytes(contentHash),
    })
  }
}

function* insertSuperseded(sql: JournalStatements, { superseded, committedAt }: CommitRecord): Work<void> {
  for (const keys of superseded) {
    yield* run(
      sql.insertSuperseded({
        project_id: idToBytes(keys.projectId),
        until_version: keys.untilVersion,
        trace_id: idToBytes(keys.traceId),
        from_version: keys.fromVersion,
        superseded_at: committedAt,
        duration_ms: keys.durationMs,
        total_tokens: keys.totalTokens,
        step_count: keys.stepCount,
      }),
    )
  }
}

function isRefused(event: JournalEvent, refused: ReadonlySet<object>): boolean {
  return refused.has('transition' in event ? event.transition : event)
}

/** Stored among the keys of steps, which begin with `k` or `i`, so that both are found and deleted by their trace. */
function metricEventKey(key: string): Uint8Array {
  return compactKey(`m${key}`)
}

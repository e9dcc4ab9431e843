import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite'
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
import { linkMedia, releaseMedia } from '../media/attachment-changes.ts'
import { compactKey, hashedKey, sha256Bytes, sha256Hex } from './compact-key.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import { forgetTrace } from './forget-trace.ts'
import { applyTransition } from '../monitors/monitor-changes.ts'
import { type MonitorStatements, prepareMonitors } from '../monitors/monitor-statements.ts'
import { prepareJournal, type JournalStatements } from './journal-statements.ts'
import { type MediaStatements, prepareMedia } from '../media/attachment-statements.ts'
import { runAtomically } from '../run-atomically.ts'
import { type OnReadError, readOrRefuse } from '../sqlite-error.ts'

const PRUNE_ROWS = 10_000
const FORGET_STEP_KEYS = 20_000
/** A run is told when it is made, or at the next start: by then nobody asks for it any more. */
const TOLD_RUNS_KEPT_MS = 30 * 24 * 3600 * 1000

/**
 * The journal in SQLite: one transaction, and so one fsync, for each group commit. Straight on prepared statements,
 * because a commit may bring thousands of step keys. This process alone writes these tables; the command line writes
 * others of the same database.
 */
export class SqliteJournal implements Journal, EmbeddedJournal {
  readonly #database: DatabaseSync
  readonly #sql: JournalStatements
  readonly #media: MediaStatements
  readonly #monitors: MonitorStatements
  /** Whether any trace is marked as deleted: spares a look-up for each event of every tail while there is none. */
  #hasDeleted: boolean
  readonly #onReadError: OnReadError
  /** As in the state row: asked for by every look-up of a trace. */
  #idLeadMs: number

  constructor(database: DatabaseSync, onReadError: OnReadError = () => undefined) {
    this.#database = database
    this.#onReadError = onReadError
    this.#sql = prepareJournal(database)
    this.#media = prepareMedia(database)
    this.#monitors = prepareMonitors(database)
    this.#hasDeleted = this.#sql.anyDeleted.get() !== undefined
    this.#idLeadMs = this.#state().idLeadMs
  }

  append(commit: CommitRecord): readonly JournalRow[] {
    const idLeadMs = idLeadOf(commit.lastTraceId, commit.committedAt)
    const rows = runAtomically(this.#database, () => {
      const state = this.#state()
      if (commit.version <= state.version)
        throw new Error(`commit ${commit.version} comes after commit ${state.version}`)
      const inserted = this.#insertRows(commit, state.headPosition, this.#refusedEvents(commit))
      this.#insertKeys(commit)
      this.#insertSuperseded(commit)
      for (const link of commit.attachments) linkMedia(this.#media, link, commit.committedAt)
      for (const { projectId, traceId } of commit.deleted) {
        this.#sql.insertDeleted.run(idToBytes(traceId), idToBytes(projectId), inserted.headPosition)
        releaseMedia(this.#media, idToBytes(traceId))
      }
      const lastTraceId = commit.lastTraceId === null ? null : idToBytes(commit.lastTraceId)
      this.#sql.updateState.run(commit.version, lastTraceId, inserted.headPosition)
      if (idLeadMs > this.#idLeadMs) this.#sql.raiseIdLead.run(idLeadMs)
      return inserted.rows
    })
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadMs)
    if (commit.deleted.length > 0) this.#hasDeleted = true
    return rows
  }

  /** Writes over what a failed flush may have left behind the end of the log of SQLite. */
  confirmLast(): void {
    runAtomically(this.#database, () => this.#sql.confirmState.run())
  }

  last(): { readonly version: number; readonly lastTraceId: TraceId | null } {
    const { version, lastTraceId } = this.#read(() => this.#state())
    return { version, lastTraceId }
  }

  skipTo(version: number, lastTraceId: TraceId | null, idLeadMs: number): void {
    runAtomically(this.#database, () => {
      const state = this.#state()
      if (version < state.version) throw new Error(`commit ${version} comes before commit ${state.version}`)
      this.#sql.updateState.run(version, lastTraceId === null ? null : idToBytes(lastTraceId), state.headPosition)
      this.#sql.raiseIdLead.run(idLeadMs)
    })
    this.#idLeadMs = Math.max(this.#idLeadMs, idLeadMs)
  }

  idLeadMs(): number {
    return this.#idLeadMs
  }

  hasMedia(projectId: ProjectId, sha256: string): boolean {
    return this.#read(() => this.#media.hasMedia.get(idToBytes(projectId), sha256Bytes(sha256))) !== undefined
  }

  attachmentsOf(traceId: TraceId): number {
    return Number(this.#read(() => this.#media.countAttachments.get(idToBytes(traceId)))?.['count'])
  }

  async read(projectId: ProjectId, after: number, limitRows: number): Promise<readonly JournalRow[]> {
    const rows = this.#read(() => this.#sql.readRows.all(idToBytes(projectId), after, limitRows))
    return rows.map((row) => ({
      projectId,
      lastPosition: row['last_position'] as number,
      committedAt: row['committed_at'] as number,
      events: decodeEvents(row['events'] as Uint8Array),
    }))
  }

  async readAll(after: number, limitEvents: number): Promise<readonly JournalRow[]> {
    return this.#read(() => {
      const rows: JournalRow[] = []
      let count = 0
      for (const row of this.#sql.readAllRows.iterate(after)) {
        const lastPosition = row['last_position'] as number
        const events = decodeEvents(row['events'] as Uint8Array)
        const projectId = idFromBytes('proj', row['project_id'] as Uint8Array)
        rows.push({ projectId, lastPosition, committedAt: row['committed_at'] as number, events })
        count += Math.min(events.length, lastPosition - after)
        if (count >= limitEvents) break
      }
      return rows
    })
  }

  async headPosition(): Promise<number> {
    return this.#read(() => this.#state()).headPosition
  }

  async prunedThrough(): Promise<number> {
    return this.#read(() => this.#state()).prunedThrough
  }

  async prune(before: number, limitRows = PRUNE_ROWS, throughPosition = Infinity, now = Infinity): Promise<number> {
    const pruned = runAtomically(this.#database, () => {
      const { removed, last } = this.#expiredRows(before, limitRows, throughPosition, now)
      if (removed === 0) return 0
      this.#sql.deleteRowsThrough.run(last)
      this.#sql.deleteFlagReasonsThrough.run(last)
      this.#sql.setPrunedThrough.run(last)
      this.#sql.forgetPurgedThrough.run(last)
      return removed
    })
    if (pruned > 0) this.#hasDeleted = this.#sql.anyDeleted.get() !== undefined
    return pruned
  }

  findTraceKey(projectId: ProjectId, key: string): TraceKey | undefined {
    const project = idToBytes(projectId)
    // Versions before 0050 stored short keys whole.
    const row =
      this.#lookUp(this.#sql.findTraceKey, project, hashedKey(key)) ??
      this.#lookUp(this.#sql.findTraceKey, project, compactKey(key))
    if (row === undefined) return undefined
    const bodyHash = sha256Hex(row['body_hash'] as Uint8Array)
    return { projectId, key, bodyHash, traceId: idFromBytes('tr', row['trace_id'] as Uint8Array) }
  }

  findStepKey(traceId: TraceId, key: string): StepKey | undefined {
    const row = this.#lookUp(this.#sql.findStepKey, idToBytes(traceId), compactKey(key))
    if (row === undefined) return undefined
    const contentHash = sha256Hex(row['content_hash'] as Uint8Array)
    return { traceId, key, stepId: idFromBytes('st', row['step_id'] as Uint8Array), contentHash }
  }

  findMetricEventKey(traceId: TraceId, key: string): MetricEventKey | undefined {
    const row = this.#lookUp(this.#sql.findStepKey, idToBytes(traceId), metricEventKey(key))
    if (row === undefined) return undefined
    const contentHash = sha256Hex(row['content_hash'] as Uint8Array)
    return { traceId, key, eventId: idFromBytes('mev', row['step_id'] as Uint8Array), contentHash }
  }

  async supersededAt(projectId: ProjectId, version: number): Promise<readonly SupersededKeys[]> {
    const rows = this.#read(() => this.#sql.supersededAt.all(idToBytes(projectId), version, version))
    return rows.map((row) => ({
      projectId,
      traceId: idFromBytes('tr', row['trace_id'] as Uint8Array),
      fromVersion: row['from_version'] as number,
      untilVersion: row['until_version'] as number,
      durationMs: row['duration_ms'] as number | null,
      totalTokens: row['total_tokens'] as number,
      stepCount: row['step_count'] as number,
    }))
  }

  async pruneSuperseded(before: number, limitRows = PRUNE_ROWS): Promise<number> {
    return runAtomically(this.#database, () => {
      let removed = 0
      let project = this.#sql.nextSupersededProject.get(new Uint8Array())
      while (project !== undefined && removed < limitRows) {
        const projectId = project['project_id'] as Uint8Array
        for (const row of this.#sql.oldestSuperseded.all(projectId, limitRows - removed)) {
          if ((row['superseded_at'] as number) >= before) break
          this.#sql.deleteSuperseded.run(projectId, row['until_version'] as number, row['trace_id'] as Uint8Array)
          removed += 1
        }
        project = this.#sql.nextSupersededProject.get(projectId)
      }
      return removed
    })
  }

  async deletedAmong(traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    if (!this.#hasDeleted) return new Set()
    const isDeleted = (traceId: TraceId) => this.#sql.isDeleted.get(idToBytes(traceId)) !== undefined
    return this.#read(() => new Set(traceIds.filter(isDeleted)))
  }

  async pendingPurges(limit: number, after?: TraceId): Promise<readonly DeletedTrace[]> {
    if (!this.#hasDeleted) return []
    const rows = this.#read(() =>
      this.#sql.pendingPurges.all(after === undefined ? new Uint8Array() : idToBytes(after), limit),
    )
    return rows.map((row) => ({
      projectId: idFromBytes('proj', row['project_id'] as Uint8Array),
      traceId: idFromBytes('tr', row['trace_id'] as Uint8Array),
    }))
  }

  async pendingPurgeCount(limit: number): Promise<number> {
    if (!this.#hasDeleted) return 0
    return Number(this.#read(() => this.#sql.pendingPurgeCount.get(limit))?.['count'])
  }

  async markPurged(traceIds: readonly TraceId[]): Promise<void> {
    runAtomically(this.#database, () => {
      let room = FORGET_STEP_KEYS
      for (const traceId of traceIds) {
        const id = idToBytes(traceId)
        if (this.#sql.isToPurge.get(id) === undefined) continue
        room -= Number(this.#sql.deleteStepKeys.run(id, id, room).changes)
        if (room === 0) break
        releaseMedia(this.#media, id)
        forgetTrace(this.#sql, id)
        this.#sql.setPurged.run(id)
      }
      this.#sql.forgetPurgedThrough.run(this.#state().prunedThrough)
    })
    this.#hasDeleted = this.#sql.anyDeleted.get() !== undefined
  }

  #lookUp(statement: StatementSync, ...key: readonly Uint8Array[]): Record<string, SQLOutputValue> | undefined {
    return this.#read(() => statement.get(...key))
  }

  #read<T>(read: () => T): T {
    return readOrRefuse(read, this.#onReadError)
  }

  #state(): {
    version: number
    lastTraceId: TraceId | null
    headPosition: number
    prunedThrough: number
    idLeadMs: number
  } {
    const row = this.#sql.readState.get()
    if (row === undefined) throw new Error('the journal has lost its state row')
    const lastTraceId = row['last_trace_id'] as Uint8Array | null
    return {
      version: row['version'] as number,
      lastTraceId: lastTraceId === null ? null : idFromBytes('tr', lastTraceId),
      headPosition: row['head_position'] as number,
      prunedThrough: row['pruned_through'] as number,
      idLeadMs: row['id_lead_ms'] as number,
    }
  }

  /** Transitions and events of runs that are not to be told. Applies the other transitions and marks the other runs. */
  #refusedEvents({ monitorTransitions, clusterRuns, committedAt }: CommitRecord): ReadonlySet<object> {
    const transitions = monitorTransitions.filter((one) => !applyTransition(this.#monitors, one, committedAt))
    if (clusterRuns.length === 0) return new Set(transitions)
    this.#sql.forgetRunsTold.run(committedAt - TOLD_RUNS_KEPT_MS)
    const told = clusterRuns.filter(({ runId }) => this.#sql.markRunTold.run(runId, committedAt).changes === 0)
    return new Set<object>([...transitions, ...told.flatMap(({ events }) => events)])
  }

  #insertRows(
    commit: CommitRecord,
    head: number,
    refused: ReadonlySet<object>,
  ): { rows: JournalRow[]; headPosition: number } {
    const { committedAt } = commit
    let headPosition = head
    const rows = commit.projects.map(({ projectId, events: all }) => {
      const events = refused.size === 0 ? all : all.filter((one) => !isRefused(one, refused))
      headPosition += events.length
      if (events.length > 0) {
        this.#sql.insertRow.run(headPosition, idToBytes(projectId), committedAt, encodeEvents(events))
        this.#noteReasons(events, headPosition)
      }
      return { projectId, lastPosition: headPosition, committedAt, events }
    })
    return { rows, headPosition }
  }

  /**
   * How many of the oldest rows have expired, and the position of the last of them. Rows from the future are as old as
   * the next that is not.
   */
  #expiredRows(before: number, limitRows: number, throughPosition: number, now: number) {
    let [removed, last] = [0, 0]
    let [ahead, lastAhead] = [0, 0]
    for (const row of this.#sql.oldestRows.all(limitRows)) {
      const [position, committedAt] = [row['last_position'] as number, row['committed_at'] as number]
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
    const next = this.#sql.nextRowNotAfter.get(lastAhead, now)
    const hasExpired = next !== undefined && (next['committed_at'] as number) < before
    return hasExpired ? { removed: removed + ahead, last: lastAhead } : { removed, last }
  }

  /** So that they are found when their trace is purged. */
  #noteReasons(events: readonly JournalEvent[], position: number): void {
    for (const event of events) {
      if (event.type !== 'trace.flagged' || event.reason === null) continue
      this.#sql.addFlagReason.run(idToBytes(event.traceId), position)
    }
  }

  #insertKeys(commit: CommitRecord): void {
    for (const { projectId, key, bodyHash, traceId } of commit.traceKeys) {
      this.#sql.insertTraceKey.run(idToBytes(projectId), hashedKey(key), sha256Bytes(bodyHash), idToBytes(traceId))
    }
    for (const { traceId, key, stepId, contentHash } of commit.stepKeys) {
      this.#sql.insertStepKey.run(idToBytes(traceId), compactKey(key), idToBytes(stepId), sha256Bytes(contentHash))
    }
    for (const { traceId, key, eventId, contentHash } of commit.metricEventKeys) {
      this.#sql.insertStepKey.run(idToBytes(traceId), metricEventKey(key), idToBytes(eventId), sha256Bytes(contentHash))
    }
  }

  #insertSuperseded(commit: CommitRecord): void {
    for (const keys of commit.superseded) {
      this.#sql.insertSuperseded.run(
        idToBytes(keys.projectId),
        keys.untilVersion,
        idToBytes(keys.traceId),
        keys.fromVersion,
        commit.committedAt,
        keys.durationMs,
        keys.totalTokens,
        keys.stepCount,
      )
    }
  }
}

function isRefused(event: JournalEvent, refused: ReadonlySet<object>): boolean {
  return refused.has('transition' in event ? event.transition : event)
}

/**
 * Beside the keys of steps, which begin with a `k` or an `i`: with them they are found by their trace, and with them
 * they go.
 */
function metricEventKey(key: string): Uint8Array {
  return compactKey(`m${key}`)
}

import type { MetricEventId, TraceId } from '@spoor/contract/ids'
import { idLeadOf } from '../../../ports/journal/creation-time.ts'
import type { CommitRecord, JournalEvent, JournalRow } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import { runParts } from '../kit/list-statement.ts'
import { first, run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { linkMedia, releaseMedia } from '../media/attachment-changes.ts'
import { attachmentStatementsOn } from '../media/attachment-statements.ts'
import type { MediaTables } from '../media/media-tables.ts'
import { applyTransition } from '../monitors/monitor-changes.ts'
import { monitorStatementsOn } from '../monitors/monitor-statements.ts'
import type { MonitorTables } from '../monitors/monitor-tables.ts'
import { encodeEvents } from './event-encoding.ts'
import { forgetTrace } from './forget-trace.ts'
import { metricEventKey, toState } from './journal-rows.ts'
import { type JournalStatements, journalStatementsOn } from './journal-statements.ts'
import type { JournalTables } from './journal-tables.ts'
import { stepKeyRows, supersededRows, traceKeyRows } from './key-rows.ts'
import { writeQuietWaits } from './quiet-wait-statements.ts'

const FORGET_STEP_KEYS = 20_000
/** The events of a run are emitted when it is made, or at the next start. After this time nothing repeats them. */
const ONCE_RETAINED_MS = 400 * 24 * 3600 * 1000

/** The statements that transactions of the journal need. */
export type JournalSql = ReturnType<typeof journalSqlOn>

export function journalSqlOn(database: SqlDatabase<unknown>) {
  return {
    ...journalStatementsOn(database.withTables<JournalTables>()),
    media: attachmentStatementsOn(database.withTables<MediaTables>()),
    monitors: monitorStatementsOn(database.withTables<MonitorTables>()),
    dialect: database.dialect,
  }
}

/**
 * The transaction of a commit. Returns the rows written, one for each element of `projects`. Throws if the version is
 * not above the last one.
 */
export function* appendCommit(sql: JournalSql, commit: CommitRecord): Work<readonly JournalRow[]> {
  const state = toState(yield* first(sql.readState({})))
  if (commit.version <= state.version) throw new Error(`commit ${commit.version} comes after commit ${state.version}`)
  const { rows, headPosition } = yield* insertRows(sql, commit, state.headPosition)
  for (const { projectId, traceId, id, idempotencyKey } of commit.removedEvents) {
    const trace = idToBytes(traceId)
    const mark = { projectId: idToBytes(projectId), eventId: idToBytes(id), traceId: trace, version: commit.version }
    // A second removal at the same time: the key may be that of a later event.
    if ((yield* run(sql.insertRemoved(mark))) === 0) continue
    if (idempotencyKey !== null)
      yield* run(sql.deleteMetricEventKey({ traceId: trace, key: metricEventKey(idempotencyKey) }))
  }
  // A commit may bring thousands of keys: statements are yielded without `run`.
  for (const statement of sql.insertTraceKeys(traceKeyRows(commit, state.keyGeneration))) yield statement
  for (const statement of sql.insertStepKeys(stepKeyRows(commit, state.keyGeneration))) yield statement
  for (const statement of sql.insertSuperseded(supersededRows(commit))) yield statement
  for (const link of commit.attachments) yield* linkMedia(sql.media, link, commit.committedAt)
  for (const deleted of commit.deleted) {
    const traceId = idToBytes(deleted.traceId)
    if (deleted.restored === true) {
      yield* run(sql.deleteDeletion({ traceId }))
      continue
    }
    const { restorableUntil = 0, isExpired = false } = deleted
    const projectId = idToBytes(deleted.projectId)
    const expired = isExpired ? 1 : 0
    yield* run(sql.insertDeleted({ traceId, projectId, position: headPosition, restorableUntil, expired }))
    if (restorableUntil === 0) yield* releaseMedia(sql.media, traceId)
  }
  yield* writeQuietWaits(sql, commit)
  const lastTraceId = commit.lastTraceId === null ? null : idToBytes(commit.lastTraceId)
  yield* run(sql.updateState({ version: commit.version, lastTraceId, headPosition }))
  const idLeadMs = idLeadOf(commit.lastTraceId, commit.committedAt)
  if (idLeadMs > state.idLeadMs) yield* run(sql.raiseIdLead({ idLeadMs }))
  return rows
}

function* insertRows(
  sql: JournalSql,
  commit: CommitRecord,
  head: number,
): Work<{ rows: JournalRow[]; headPosition: number }> {
  const refused = yield* refusedEvents(sql, commit)
  const { committedAt } = commit
  const rows: JournalRow[] = []
  let headPosition = head
  for (const { projectId, events: planned } of commit.projects) {
    const events = refused.size === 0 ? planned : planned.filter((one) => !isRefused(one, refused))
    headPosition += events.length
    if (events.length > 0) {
      const row = { position: headPosition, projectId: idToBytes(projectId), committedAt }
      yield* run(sql.insertRow({ ...row, events: encodeEvents(events) }))
      yield* recordTexts(sql, events, headPosition, row.projectId)
    }
    rows.push({ projectId, lastPosition: headPosition, committedAt, events })
  }
  return { rows, headPosition }
}

/** Applies the transitions and marks the runs. Returns the transitions and events of runs that are left out. */
function* refusedEvents(
  sql: JournalSql,
  { monitorTransitions, onceEvents, committedAt }: CommitRecord,
): Work<ReadonlySet<object>> {
  const refused = new Set<object>()
  for (const transition of monitorTransitions) {
    if (!(yield* applyTransition(sql.monitors, transition, committedAt))) refused.add(transition)
  }
  if (onceEvents.length === 0) return refused
  yield* run(sql.deleteOnceBefore({ before: committedAt - ONCE_RETAINED_MS }))
  for (const { key, events } of onceEvents) {
    const isNew = (yield* run(sql.markOnce({ key, at: committedAt }))) > 0
    if (!isNew) for (const event of events) refused.add(event)
  }
  return refused
}

/** The transaction of `Journal.forgetRemovals`. */
export function* forgetRemovals(sql: JournalSql, ids: readonly MetricEventId[]): Work<void> {
  yield* runParts(sql.forgetRemovals(ids.map(idToBytes), {}))
}

/** The transaction of `Journal.markPurged`. */
export function* purgeTraces(sql: JournalSql, traceIds: readonly TraceId[]): Work<void> {
  let remaining = FORGET_STEP_KEYS
  for (const id of traceIds) {
    const traceId = idToBytes(id)
    if ((yield* first(sql.isToPurge({ traceId }))) === undefined) continue
    remaining -= yield* run(sql.deleteStepKeys({ traceId, limit: remaining }))
    if (remaining === 0) break
    yield* releaseMedia(sql.media, traceId)
    yield* forgetTrace(sql, traceId)
    yield* run(sql.setPurged({ traceId }))
  }
  const { prunedThrough } = toState(yield* first(sql.readState({})))
  yield* run(sql.deletePurgedThrough({ position: prunedThrough }))
}

/** Records which rows hold texts, so that they are found when the traces that gave them are deleted. */
function* recordTexts(
  sql: JournalStatements,
  events: readonly JournalEvent[],
  position: number,
  projectId: Uint8Array,
): Work<void> {
  for (const event of events) {
    if ('data' in event) yield* run(sql.addText({ contentOf: projectId, position }))
    else if ('reason' in event && event.reason !== null)
      yield* run(sql.addText({ contentOf: idToBytes(event.traceId), position }))
  }
}

function isRefused(event: JournalEvent, refused: ReadonlySet<object>): boolean {
  return refused.has('transition' in event ? event.transition : event)
}

import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { keyStatementsOn } from './key-statements.ts'
import type { DeletedRow, EventsRow, JournalTables, RemovedRow } from './journal-tables.ts'
import type { StateColumns } from './journal-rows.ts'
import { quietWaitStatementsOn } from './quiet-wait-statements.ts'

/*
 * Conditions of partial indexes are in the text: SQLite uses such an index only if its condition is known when the
 * statement is compiled.
 */

export type JournalStatements = ReturnType<typeof journalStatementsOn>

interface OfTrace {
  readonly traceId: Uint8Array
}

interface AtPosition {
  readonly position: number
}

interface OfContent {
  readonly contentOf: Uint8Array
}

export function journalStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  return {
    ...stateStatementsOn(database),
    ...rowStatementsOn(database),
    ...keyStatementsOn(database),
    ...textStatementsOn(database),
    ...deletionStatementsOn(database),
    ...removalStatementsOn(database),
    ...quietWaitStatementsOn(database),
    markOnce: query<{ key: string; at: number }>(
      'INSERT INTO emitted_once (key, emitted_at) VALUES (:key, :at) ON CONFLICT DO NOTHING',
    ),
    deleteOnceBefore: query<{ before: number }>('DELETE FROM emitted_once WHERE emitted_at < :before'),
  }
}

interface StateValues {
  readonly version: number
  readonly lastTraceId: Uint8Array | null
  readonly headPosition: number
}

function stateStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  const greatest = database.dialect === 'sqlite' ? 'max' : 'greatest'
  return {
    readState: query<object, StateColumns>(
      `SELECT version, last_trace_id, head_position, pruned_through, id_lead_ms, key_generation, keys_since
      FROM journal_state`,
    ),
    confirmState: query('UPDATE journal_state SET confirmations = confirmations + 1'),
    updateState: query<StateValues>(`UPDATE journal_state
      SET version = :version, last_trace_id = coalesce(:lastTraceId, last_trace_id), head_position = :headPosition`),
    raiseIdLead: query<{ idLeadMs: number }>(
      `UPDATE journal_state SET id_lead_ms = ${greatest}(id_lead_ms, :idLeadMs)`,
    ),
    setPrunedThrough: query<AtPosition>('UPDATE journal_state SET pruned_through = :position'),
  }
}

interface NewRow extends AtPosition {
  readonly projectId: Uint8Array
  readonly committedAt: number
  readonly events: Uint8Array
}

interface ProjectPage {
  readonly projectId: Uint8Array
  readonly after: number
  readonly limit: number
}

function rowStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  const allRows = `SELECT last_position, project_id, committed_at, events FROM journal
    WHERE last_position > :after ORDER BY last_position`
  return {
    insertRow: query<NewRow>(`INSERT INTO journal (last_position, project_id, committed_at, events)
      VALUES (:position, :projectId, :committedAt, :events)`),
    readRows: query<ProjectPage, Omit<EventsRow, 'project_id'>>(`SELECT last_position, committed_at, events FROM journal
      WHERE project_id = :projectId AND last_position > :after ORDER BY last_position LIMIT :limit`),
    readAllRows: query<{ after: number }, EventsRow>(allRows),
    /** For a database that sends all rows at once. */
    readAllPage: query<{ after: number; limit: number }, EventsRow>(`${allRows} LIMIT :limit`),
    readEvents: query<AtPosition, Pick<EventsRow, 'events'>>(
      'SELECT events FROM journal WHERE last_position = :position',
    ),
    replaceEvents: query<AtPosition & { events: Uint8Array }>(
      'UPDATE journal SET events = :events WHERE last_position = :position',
    ),
    oldestRows: query<{ limit: number }, Pick<EventsRow, 'last_position' | 'committed_at'>>(
      'SELECT last_position, committed_at FROM journal ORDER BY last_position LIMIT :limit',
    ),
    nextRowNotAfter: query<AtPosition & { time: number }, Pick<EventsRow, 'committed_at'>>(`SELECT committed_at
      FROM journal WHERE last_position > :position AND committed_at <= :time ORDER BY last_position LIMIT 1`),
    deleteRowsThrough: query<AtPosition>('DELETE FROM journal WHERE last_position <= :position'),
  }
}

/** Statements that delete the content of traces from rows that outlive them: see forget-trace.ts. */
function textStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  return {
    addText: query<OfContent & AtPosition>(
      'INSERT INTO journal_texts (content_of, last_position) VALUES (:contentOf, :position) ON CONFLICT DO NOTHING',
    ),
    textsOf: query<OfContent, Pick<EventsRow, 'last_position'>>(
      'SELECT last_position FROM journal_texts WHERE content_of = :contentOf',
    ),
    deleteTexts: query<OfContent>('DELETE FROM journal_texts WHERE content_of = :contentOf'),
    deleteTextsThrough: query<AtPosition>('DELETE FROM journal_texts WHERE last_position <= :position'),
    clearFilenames: query<OfTrace>(
      'UPDATE direct_uploads SET filename = NULL WHERE trace_id = :traceId AND filename IS NOT NULL',
    ),
  }
}

interface Removal extends OfTrace {
  readonly projectId: Uint8Array
  readonly eventId: Uint8Array
  readonly version: number
}

function removalStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    insertRemoved: query<Removal>(`INSERT INTO removed_events (project_id, event_id, trace_id, version)
      VALUES (:projectId, :eventId, :traceId, :version) ON CONFLICT DO NOTHING`),
    anyRemoved: query('SELECT event_id FROM removed_events LIMIT 1'),
    removedEvents: query<{ projectId: Uint8Array }, Pick<RemovedRow, 'event_id'>>(
      'SELECT event_id FROM removed_events WHERE project_id = :projectId',
    ),
    removalMarks: query<{ limit: number }, RemovedRow>(
      'SELECT project_id, event_id, trace_id, version FROM removed_events ORDER BY version, event_id LIMIT :limit',
    ),
    forgetRemovals: listQuery<Uint8Array>('DELETE FROM removed_events WHERE event_id IN (:values)'),
  }
}

interface Deletion extends OfTrace, AtPosition {
  readonly projectId: Uint8Array
  readonly restorableUntil: number
  /** 0 or 1. */
  readonly expired: number
}

interface PurgePage {
  readonly after: Uint8Array
  readonly limit: number
}

type PendingRow = Pick<DeletedRow, 'trace_id' | 'project_id' | 'restorable_until' | 'expired'>

function deletionStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query, listQuery } = sqlTextOn(database)
  const pendingPage = (condition: string) => `SELECT trace_id, project_id, restorable_until, expired FROM deleted_traces
    WHERE purged = 0 ${condition} AND trace_id > :after ORDER BY trace_id LIMIT :limit`
  const among = 'SELECT trace_id FROM deleted_traces WHERE trace_id IN (:values)'
  return {
    insertDeleted: query<Deletion>(`INSERT INTO deleted_traces
        (trace_id, project_id, through_position, purged, restorable_until, expired)
      VALUES (:traceId, :projectId, :position, 0, :restorableUntil, :expired)`),
    deleteDeletion: query<OfTrace>('DELETE FROM deleted_traces WHERE trace_id = :traceId AND restorable_until > 0'),
    restorableUntil: query<OfTrace, Pick<DeletedRow, 'restorable_until'>>(
      'SELECT restorable_until FROM deleted_traces WHERE trace_id = :traceId AND purged = 0 AND restorable_until > 0',
    ),
    anyDeleted: query('SELECT trace_id FROM deleted_traces LIMIT 1'),
    deletedAmong: listQuery<Uint8Array, Pick<DeletedRow, 'trace_id'>>(among),
    deletedForGoodAmong: listQuery<Uint8Array, Pick<DeletedRow, 'trace_id'>>(
      `${among} AND (restorable_until = 0 OR purged != 0)`,
    ),
    isToPurge: query<OfTrace>('SELECT trace_id FROM deleted_traces WHERE trace_id = :traceId AND purged = 0'),
    pendingPurges: query<PurgePage, PendingRow>(pendingPage('')),
    pendingWithMetrics: query<PurgePage, PendingRow>(pendingPage('AND expired = 0')),
    pendingPurgeCount: query<{ limit: number; through: number }, { count: number }>(`SELECT count(*) AS count FROM (
      SELECT trace_id FROM deleted_traces WHERE purged = 0 AND restorable_until <= :through LIMIT :limit) AS pending`),
    setPurged: query<OfTrace>('UPDATE deleted_traces SET purged = 1 WHERE trace_id = :traceId'),
    deletePurgedThrough: query<AtPosition>(
      'DELETE FROM deleted_traces WHERE purged = 1 AND through_position <= :position',
    ),
  }
}

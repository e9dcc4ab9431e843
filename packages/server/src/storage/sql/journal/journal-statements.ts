import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import { larger } from '../kit/dialect-sql.ts'
import { listStatement } from '../kit/list-statement.ts'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { keyStatementsOn } from './key-statements.ts'
import type { JournalTables } from './journal-tables.ts'
import { quietWaitStatementsOn } from './quiet-wait-statements.ts'

export type JournalStatements = ReturnType<typeof journalStatementsOn>

interface StateValues {
  readonly version: number
  readonly lastTraceId: Uint8Array | null
  readonly headPosition: number
}

interface NewRow {
  readonly position: number
  readonly projectId: Uint8Array
  readonly committedAt: number
  readonly events: Uint8Array
}

/** Literals: SQLite uses a partial index only if its condition is known when the statement is compiled. */
const [NO, YES] = [sql.lit(0), sql.lit(1)]

/** Every statement of the journal's own tables. */
export function journalStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    ...stateStatementsOn(database),
    ...rowStatementsOn(database),
    ...keyStatementsOn(database),
    ...textStatementsOn(database),
    ...deletionStatementsOn(database),
    ...removalStatementsOn(database),
    ...quietWaitStatementsOn(database),
    markOnce: database.statement((queries, { key, at }: { key: string; at: number }) =>
      queries
        .insertInto('emitted_once')
        .values({ key, emitted_at: at })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    deleteOnceBefore: database.statement((queries, { before }: { before: number }) =>
      queries.deleteFrom('emitted_once').where('emitted_at', '<', before),
    ),
  }
}

function stateStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    readState: database.statement((queries) =>
      queries
        .selectFrom('journal_state')
        .select(['version', 'last_trace_id', 'head_position', 'pruned_through', 'id_lead_ms']),
    ),
    confirmState: database.statement((queries) =>
      queries.updateTable('journal_state').set(({ eb, lit }) => ({ confirmations: eb('confirmations', '+', lit(1)) })),
    ),
    updateState: database.statement((queries, { version, lastTraceId, headPosition }: StateValues) =>
      queries.updateTable('journal_state').set(({ fn, val }) => ({
        version,
        last_trace_id: fn.coalesce(val(lastTraceId), 'last_trace_id'),
        head_position: headPosition,
      })),
    ),
    raiseIdLead: database.statement((queries, { idLeadMs }: { idLeadMs: number }) =>
      queries
        .updateTable('journal_state')
        .set(({ ref }) => ({ id_lead_ms: larger(database, ref('id_lead_ms'), idLeadMs) })),
    ),
    setPrunedThrough: database.statement((queries, { position }: { position: number }) =>
      queries.updateTable('journal_state').set({ pruned_through: position }),
    ),
  }
}

interface ProjectPage {
  readonly projectId: Uint8Array
  readonly after: number
  readonly limit: number
}

function rowStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertRow: database.statement((queries, row: NewRow) =>
      queries.insertInto('journal').values({
        last_position: row.position,
        project_id: row.projectId,
        committed_at: row.committedAt,
        events: row.events,
      }),
    ),
    readRows: database.statement((queries, { projectId, after, limit }: ProjectPage) =>
      queries
        .selectFrom('journal')
        .select(['last_position', 'committed_at', 'events'])
        .where('project_id', '=', projectId)
        .where('last_position', '>', after)
        .orderBy('last_position')
        .limit(limit),
    ),
    readAllRows: database.statement((queries, { after }: { after: number }) =>
      queries
        .selectFrom('journal')
        .select(['last_position', 'project_id', 'committed_at', 'events'])
        .where('last_position', '>', after)
        .orderBy('last_position'),
    ),
    /** For a database that sends all rows at once. */
    readAllPage: database.statement((queries, { after, limit }: { after: number; limit: number }) =>
      queries
        .selectFrom('journal')
        .select(['last_position', 'project_id', 'committed_at', 'events'])
        .where('last_position', '>', after)
        .orderBy('last_position')
        .limit(limit),
    ),
    readEvents: database.statement((queries, { position }: { position: number }) =>
      queries.selectFrom('journal').select('events').where('last_position', '=', position),
    ),
    replaceEvents: database.statement((queries, { position, events }: { position: number; events: Uint8Array }) =>
      queries.updateTable('journal').set({ events }).where('last_position', '=', position),
    ),
    oldestRows: database.statement((queries, { limit }: { limit: number }) =>
      queries.selectFrom('journal').select(['last_position', 'committed_at']).orderBy('last_position').limit(limit),
    ),
    nextRowNotAfter: database.statement((queries, { position, time }: { position: number; time: number }) =>
      queries
        .selectFrom('journal')
        .select('committed_at')
        .where('last_position', '>', position)
        .where('committed_at', '<=', time)
        .orderBy('last_position')
        .limit(sql.lit(1)),
    ),
    deleteRowsThrough: database.statement((queries, { position }: { position: number }) =>
      queries.deleteFrom('journal').where('last_position', '<=', position),
    ),
  }
}

/** Statements that delete the content of traces from rows that outlive them: see forget-trace.ts. */
function textStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    addText: database.statement((queries, { contentOf, position }: { contentOf: Uint8Array; position: number }) =>
      queries
        .insertInto('journal_texts')
        .values({ content_of: contentOf, last_position: position })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    textsOf: database.statement((queries, { contentOf }: { contentOf: Uint8Array }) =>
      queries.selectFrom('journal_texts').select('last_position').where('content_of', '=', contentOf),
    ),
    deleteTexts: database.statement((queries, { contentOf }: { contentOf: Uint8Array }) =>
      queries.deleteFrom('journal_texts').where('content_of', '=', contentOf),
    ),
    deleteTextsThrough: database.statement((queries, { position }: { position: number }) =>
      queries.deleteFrom('journal_texts').where('last_position', '<=', position),
    ),
    clearFilenames: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries
        .updateTable('direct_uploads')
        .set({ filename: null })
        .where('trace_id', '=', traceId)
        .where('filename', 'is not', null),
    ),
  }
}

interface Removal {
  readonly projectId: Uint8Array
  readonly eventId: Uint8Array
  readonly traceId: Uint8Array
  readonly version: number
}

function removalStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertRemoved: database.statement((queries, { projectId, eventId, traceId, version }: Removal) =>
      queries
        .insertInto('removed_events')
        .values({ project_id: projectId, event_id: eventId, trace_id: traceId, version })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    anyRemoved: database.statement((queries) =>
      queries.selectFrom('removed_events').select('event_id').limit(sql.lit(1)),
    ),
    removedEvents: database.statement((queries, { projectId }: { projectId: Uint8Array }) =>
      queries.selectFrom('removed_events').select('event_id').where('project_id', '=', projectId),
    ),
    removalMarks: database.statement((queries, { limit }: { limit: number }) =>
      queries
        .selectFrom('removed_events')
        .select(['project_id', 'event_id', 'trace_id', 'version'])
        .orderBy('version')
        .orderBy('event_id')
        .limit(limit),
    ),
    forgetRemovals: listStatement(database, (queries, eventIds: readonly Uint8Array[], _none: object) =>
      queries.deleteFrom('removed_events').where('event_id', 'in', eventIds),
    ),
  }
}

interface Deletion {
  readonly traceId: Uint8Array
  readonly projectId: Uint8Array
  readonly position: number
  readonly restorableUntil: number
  /** 0 or 1. */
  readonly expired: number
}

interface PurgePage {
  readonly after: Uint8Array
  readonly limit: number
}

const isForGood = ({ eb, or }: ExpressionBuilder<JournalTables, 'deleted_traces'>) =>
  or([eb('restorable_until', '=', 0), eb('purged', '!=', NO)])

function pendingPage(queries: Kysely<JournalTables>, { after, limit }: PurgePage) {
  return queries
    .selectFrom('deleted_traces')
    .select(['trace_id', 'project_id', 'restorable_until', 'expired'])
    .where('purged', '=', NO)
    .where('trace_id', '>', after)
    .orderBy('trace_id')
    .limit(limit)
}

function deletionStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertDeleted: database.statement((queries, deletion: Deletion) =>
      queries.insertInto('deleted_traces').values({
        trace_id: deletion.traceId,
        project_id: deletion.projectId,
        through_position: deletion.position,
        purged: 0,
        restorable_until: deletion.restorableUntil,
        expired: deletion.expired,
      }),
    ),
    deleteDeletion: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.deleteFrom('deleted_traces').where('trace_id', '=', traceId).where('restorable_until', '>', 0),
    ),
    restorableUntil: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries
        .selectFrom('deleted_traces')
        .select('restorable_until')
        .where('trace_id', '=', traceId)
        .where('purged', '=', NO)
        .where('restorable_until', '>', 0),
    ),
    anyDeleted: database.statement((queries) =>
      queries.selectFrom('deleted_traces').select('trace_id').limit(sql.lit(1)),
    ),
    deletedAmong: listStatement(database, (queries, traceIds: readonly Uint8Array[], _none: object) =>
      queries.selectFrom('deleted_traces').select('trace_id').where('trace_id', 'in', traceIds),
    ),
    deletedForGoodAmong: listStatement(database, (queries, traceIds: readonly Uint8Array[], _none: object) =>
      queries.selectFrom('deleted_traces').select('trace_id').where('trace_id', 'in', traceIds).where(isForGood),
    ),
    isToPurge: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.selectFrom('deleted_traces').select('trace_id').where('trace_id', '=', traceId).where('purged', '=', NO),
    ),
    pendingPurges: database.statement((queries, page: PurgePage) => pendingPage(queries, page)),
    pendingWithMetrics: database.statement((queries, page: PurgePage) =>
      pendingPage(queries, page).where('expired', '=', NO),
    ),
    pendingPurgeCount: database.statement((queries, { limit, through }: { limit: number; through: number }) =>
      queries
        .selectFrom(({ selectFrom }) =>
          selectFrom('deleted_traces')
            .select('trace_id')
            .where('purged', '=', NO)
            .where('restorable_until', '<=', through)
            .limit(limit)
            .as('pending'),
        )
        .select(({ fn }) => fn.countAll().as('count')),
    ),
    setPurged: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.updateTable('deleted_traces').set({ purged: 1 }).where('trace_id', '=', traceId),
    ),
    deletePurgedThrough: database.statement((queries, { position }: { position: number }) =>
      queries.deleteFrom('deleted_traces').where('purged', '=', YES).where('through_position', '<=', position),
    ),
  }
}

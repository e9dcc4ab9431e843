import { sql } from 'kysely'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { type ArrayTable, insertArrays } from '../kit/column-arrays.ts'
import type { JournalTables, StepKeyRow, SupersededRow, TraceKeyRow } from './journal-tables.ts'

export const TRACE_KEYS: ArrayTable<TraceKeyRow> = {
  name: 'trace_keys',
  columns: { project_id: 'bytea', key: 'bytea', body_hash: 'bytea', trace_id: 'bytea' },
}
export const STEP_KEYS: ArrayTable<StepKeyRow> = {
  name: 'step_keys',
  columns: { trace_id: 'bytea', key: 'bytea', step_id: 'bytea', content_hash: 'bytea' },
}
export const SUPERSEDED: ArrayTable<SupersededRow> = {
  name: 'superseded_keys',
  columns: {
    project_id: 'bytea',
    until_version: 'bigint',
    trace_id: 'bytea',
    from_version: 'bigint',
    superseded_at: 'bigint',
    duration_ms: 'double precision',
    total_tokens: 'bigint',
    step_count: 'bigint',
    usage: 'text',
  },
}

/** Idempotency keys, and the sort keys that traces had before. */
export function keyStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertTraceKeys: insertArrays(database, TRACE_KEYS),
    findTraceKey: database.statement((queries, { projectId, key }: { projectId: Uint8Array; key: Uint8Array }) =>
      queries
        .selectFrom('trace_keys')
        .select(['body_hash', 'trace_id'])
        .where('project_id', '=', projectId)
        .where('key', '=', key),
    ),
    insertStepKeys: insertArrays(database, STEP_KEYS),
    findStepKey: database.statement((queries, { traceId, key }: { traceId: Uint8Array; key: Uint8Array }) =>
      queries
        .selectFrom('step_keys')
        .select(['step_id', 'content_hash'])
        .where('trace_id', '=', traceId)
        .where('key', '=', key),
    ),
    deleteStepKey: database.statement((queries, { traceId, key }: { traceId: Uint8Array; key: Uint8Array }) =>
      queries.deleteFrom('step_keys').where('trace_id', '=', traceId).where('key', '=', key),
    ),
    deleteStepKeys: database.statement((queries, { traceId, limit }: { traceId: Uint8Array; limit: number }) =>
      queries
        .deleteFrom('step_keys')
        .where('trace_id', '=', traceId)
        .where('key', 'in', ({ selectFrom }) =>
          selectFrom('step_keys as some').select('some.key').where('some.trace_id', '=', traceId).limit(limit),
        ),
    ),
    ...supersededStatementsOn(database),
  }
}

interface SupersededName {
  readonly projectId: Uint8Array
  readonly untilVersion: number
  readonly traceId: Uint8Array
}

function supersededStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertSuperseded: insertArrays(database, SUPERSEDED),
    supersededAt: database.statement((queries, { projectId, version }: { projectId: Uint8Array; version: number }) =>
      queries
        .selectFrom('superseded_keys')
        .select(['trace_id', 'from_version', 'until_version', 'duration_ms', 'total_tokens', 'step_count', 'usage'])
        .where('project_id', '=', projectId)
        .where('until_version', '>', version)
        .where('from_version', '<=', version),
    ),
    nextSupersededProject: database.statement((queries, { after }: { after: Uint8Array }) =>
      queries
        .selectFrom('superseded_keys')
        .select('project_id')
        .where('project_id', '>', after)
        .orderBy('project_id')
        .limit(sql.lit(1)),
    ),
    oldestSuperseded: database.statement((queries, { projectId, limit }: { projectId: Uint8Array; limit: number }) =>
      queries
        .selectFrom('superseded_keys')
        .select(['until_version', 'trace_id', 'superseded_at'])
        .where('project_id', '=', projectId)
        .orderBy('until_version')
        .orderBy('trace_id')
        .limit(limit),
    ),
    deleteSuperseded: database.statement((queries, { projectId, untilVersion, traceId }: SupersededName) =>
      queries
        .deleteFrom('superseded_keys')
        .where('project_id', '=', projectId)
        .where('until_version', '=', untilVersion)
        .where('trace_id', '=', traceId),
    ),
  }
}

import { sql } from 'kysely'
import type { SqlDatabase } from '../kit/sql-database.ts'
import { rowsOfArrays } from '../kit/column-arrays.ts'
import type { JournalTables, StepKeyRow, SupersededRow, TraceKeyRow } from './journal-tables.ts'

interface ReplacedKey {
  readonly projectId: Uint8Array
  readonly key: Uint8Array
  readonly by: Uint8Array
}

/** Idempotency keys, and the sort keys that traces had before. */
export function keyStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertTraceKey: database.statement((queries, row: TraceKeyRow) =>
      queries.insertInto('trace_keys').values({
        project_id: row.project_id,
        key: row.key,
        body_hash: row.body_hash,
        trace_id: row.trace_id,
      }),
    ),
    findTraceKey: database.statement((queries, { projectId, key }: { projectId: Uint8Array; key: Uint8Array }) =>
      queries
        .selectFrom('trace_keys')
        .select(['body_hash', 'trace_id'])
        .where('project_id', '=', projectId)
        .where('key', '=', key),
    ),
    replaceTraceKey: database.statement((queries, { projectId, key, by }: ReplacedKey) =>
      queries.updateTable('trace_keys').set({ key: by }).where('project_id', '=', projectId).where('key', '=', key),
    ),
    insertStepKey: database.statement((queries, row: StepKeyRow) =>
      queries.insertInto('step_keys').values({
        trace_id: row.trace_id,
        key: row.key,
        step_id: row.step_id,
        content_hash: row.content_hash,
      }),
    ),
    findStepKey: database.statement((queries, { traceId, key }: { traceId: Uint8Array; key: Uint8Array }) =>
      queries
        .selectFrom('step_keys')
        .select(['step_id', 'content_hash'])
        .where('trace_id', '=', traceId)
        .where('key', '=', key),
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
    ...manyRowsStatementsOn(database),
  }
}

/** The rows of a large commit in one statement each. PostgreSQL only: SQLite needs no round trips. */
function manyRowsStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertTraceKeys: database.statement((queries, rows: Columns<TraceKeyRow>) =>
      queries
        .insertInto('trace_keys')
        .columns(['project_id', 'key', 'body_hash', 'trace_id'])
        .expression(({ selectFrom }) =>
          selectFrom(
            rowsOfArrays<TraceKeyRow>({
              project_id: bytes(rows.project_id),
              key: bytes(rows.key),
              body_hash: bytes(rows.body_hash),
              trace_id: bytes(rows.trace_id),
            }),
          ).selectAll(),
        ),
    ),
    insertStepKeys: database.statement((queries, rows: Columns<StepKeyRow>) =>
      queries
        .insertInto('step_keys')
        .columns(['trace_id', 'key', 'step_id', 'content_hash'])
        .expression(({ selectFrom }) =>
          selectFrom(
            rowsOfArrays<StepKeyRow>({
              trace_id: bytes(rows.trace_id),
              key: bytes(rows.key),
              step_id: bytes(rows.step_id),
              content_hash: bytes(rows.content_hash),
            }),
          ).selectAll(),
        ),
    ),
    insertManySuperseded: database.statement((queries, rows: Columns<SupersededRow>) =>
      queries
        .insertInto('superseded_keys')
        .columns([
          'project_id',
          'until_version',
          'trace_id',
          'from_version',
          'superseded_at',
          'duration_ms',
          'total_tokens',
          'step_count',
          'usage',
        ])
        .expression(({ selectFrom }) =>
          selectFrom(
            rowsOfArrays<SupersededRow>({
              project_id: bytes(rows.project_id),
              until_version: integers(rows.until_version),
              trace_id: bytes(rows.trace_id),
              from_version: integers(rows.from_version),
              superseded_at: integers(rows.superseded_at),
              duration_ms: { values: rows.duration_ms, type: 'double precision' },
              total_tokens: integers(rows.total_tokens),
              step_count: integers(rows.step_count),
              usage: { values: rows.usage, type: 'text' },
            }),
          ).selectAll(),
        ),
    ),
  }
}

type Columns<Row> = { readonly [Column in keyof Row]: readonly Row[Column][] }

function bytes(values: readonly Uint8Array[]) {
  return { values, type: 'bytea' } as const
}

function integers(values: readonly number[]) {
  return { values, type: 'bigint' } as const
}

interface SupersededName {
  readonly projectId: Uint8Array
  readonly untilVersion: number
  readonly traceId: Uint8Array
}

function supersededStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    insertSuperseded: database.statement((queries, row: SupersededRow) =>
      queries.insertInto('superseded_keys').values({
        project_id: row.project_id,
        until_version: row.until_version,
        trace_id: row.trace_id,
        from_version: row.from_version,
        superseded_at: row.superseded_at,
        duration_ms: row.duration_ms,
        total_tokens: row.total_tokens,
        step_count: row.step_count,
        usage: row.usage,
      }),
    ),
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

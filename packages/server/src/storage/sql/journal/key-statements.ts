import type { SqlDatabase } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import { type ArrayTable, insertArrays } from '../kit/column-arrays.ts'
import { LASTING } from './compact-key.ts'
import type { JournalTables, StepKeyRow, SupersededRow, TraceKeyRow } from './journal-tables.ts'

export const TRACE_KEYS: ArrayTable<TraceKeyRow> = {
  name: 'trace_keys',
  columns: { generation: 'bigint', project_id: 'bytea', key: 'bytea', body_hash: 'bytea', trace_id: 'bytea' },
}
export const STEP_KEYS: ArrayTable<StepKeyRow> = {
  name: 'step_keys',
  columns: { generation: 'bigint', trace_id: 'bytea', key: 'bytea', step_id: 'bytea', content_hash: 'bytea' },
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

/** Of new keys that expire. The one before is known too. */
export const GENERATION = '(SELECT key_generation FROM journal_state)'

interface OfGeneration {
  readonly generation: number
}

interface StepKeyName {
  readonly traceId: Uint8Array
  readonly key: Uint8Array
}

/** Idempotency keys, and the sort keys that traces had before. */
export function keyStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  return {
    insertTraceKeys: insertArrays(database, TRACE_KEYS),
    findTraceKey: query<
      OfGeneration & { projectId: Uint8Array; key: Uint8Array },
      Pick<TraceKeyRow, 'body_hash' | 'trace_id'>
    >(`SELECT body_hash, trace_id FROM trace_keys
      WHERE generation = :generation AND project_id = :projectId AND key = :key`),
    insertStepKeys: insertArrays(database, STEP_KEYS),
    findStepKey: query<OfGeneration & StepKeyName, Pick<StepKeyRow, 'step_id' | 'content_hash'>>(
      `SELECT step_id, content_hash FROM step_keys
      WHERE generation = :generation AND trace_id = :traceId AND key = :key`,
    ),
    deleteMetricEventKey: query<StepKeyName>(
      `DELETE FROM step_keys WHERE generation = ${LASTING} AND trace_id = :traceId AND key = :key`,
    ),
    deleteStepKeys: query<{ traceId: Uint8Array; limit: number }>(
      deleteSome(
        'step_keys',
        'generation, trace_id, key',
        `generation IN (${LASTING}, ${GENERATION}, ${GENERATION} - 1)
        AND trace_id = :traceId`,
      ),
    ),
    deleteOldTraceKeys: query<OldKeys>(
      deleteSome('trace_keys', 'generation, project_id, key', `generation > ${LASTING} AND generation < :oldest`),
    ),
    deleteOldStepKeys: query<OldKeys>(
      deleteSome('step_keys', 'generation, trace_id, key', `generation > ${LASTING} AND generation < :oldest`),
    ),
    beginGeneration: query<{ generation: number; since: number }>(`UPDATE journal_state
      SET key_generation = :generation, keys_since = :since`),
    ...supersededStatementsOn(database),
  }
}

interface OldKeys {
  readonly oldest: number
  readonly limit: number
}

function deleteSome(table: string, primaryKey: string, condition: string): string {
  return `DELETE FROM ${table} WHERE (${primaryKey}) IN (SELECT ${primaryKey} FROM ${table} WHERE ${condition} LIMIT :limit)`
}

interface SupersededName {
  readonly projectId: Uint8Array
  readonly untilVersion: number
  readonly traceId: Uint8Array
}

function supersededStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  return {
    insertSuperseded: insertArrays(database, SUPERSEDED),
    supersededAt: query<
      { projectId: Uint8Array; version: number },
      Omit<SupersededRow, 'project_id' | 'superseded_at'>
    >(
      `SELECT trace_id, from_version, until_version, duration_ms, total_tokens, step_count, usage FROM superseded_keys
      WHERE project_id = :projectId AND until_version > :version AND from_version <= :version`,
    ),
    nextSupersededProject: query<{ after: Uint8Array }, Pick<SupersededRow, 'project_id'>>(
      'SELECT project_id FROM superseded_keys WHERE project_id > :after ORDER BY project_id LIMIT 1',
    ),
    oldestSuperseded: query<
      { projectId: Uint8Array; limit: number },
      Pick<SupersededRow, 'until_version' | 'trace_id' | 'superseded_at'>
    >(`SELECT until_version, trace_id, superseded_at FROM superseded_keys
      WHERE project_id = :projectId ORDER BY until_version, trace_id LIMIT :limit`),
    deleteSuperseded: query<SupersededName>(`DELETE FROM superseded_keys
      WHERE project_id = :projectId AND until_version = :untilVersion AND trace_id = :traceId`),
  }
}

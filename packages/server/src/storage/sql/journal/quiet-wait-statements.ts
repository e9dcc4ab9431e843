import { type ArrayTable, insertArrays } from '../kit/column-arrays.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import { sqlTextOn } from '../kit/sql-text.ts'
import type { CommitRecord } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { JournalTables, QuietWaitRow } from './journal-tables.ts'

export const QUIET_WAITS: ArrayTable<QuietWaitRow> = {
  name: 'quiet_waits',
  columns: { trace_id: 'bytea', project_id: 'bytea', version: 'bigint' },
  conflict: '(trace_id) DO UPDATE SET version = excluded.version',
}

export type QuietWaitStatements = ReturnType<typeof quietWaitStatementsOn>

/** Traces that wait to become complete. */
export function quietWaitStatementsOn(database: SqlDatabase<JournalTables>) {
  const { query } = sqlTextOn(database)
  return {
    putQuietWaits: insertArrays(database, QUIET_WAITS),
    endQuietWait: query<{ traceId: Uint8Array }>('DELETE FROM quiet_waits WHERE trace_id = :traceId'),
    quietSince: query<{ version: number; limit: number }, Omit<QuietWaitRow, 'version'>>(`SELECT trace_id, project_id
      FROM quiet_waits WHERE version <= :version ORDER BY version, trace_id LIMIT :limit`),
  }
}

/** Writes what a commit says about waiting traces. */
export function* writeQuietWaits(
  statements: QuietWaitStatements,
  commit: Pick<CommitRecord, 'version' | 'quietWaits'>,
): Work<void> {
  for (const { traceId, waits } of commit.quietWaits)
    if (!waits) yield* run(statements.endQuietWait({ traceId: idToBytes(traceId) }))
  for (const statement of statements.putQuietWaits(waitingRows(commit))) yield* run(statement)
}

/** The rows of traces that wait from this commit on, each trace once. */
export function* waitingRows({
  version,
  quietWaits,
}: Pick<CommitRecord, 'version' | 'quietWaits'>): Generator<QuietWaitRow, void> {
  for (const { projectId, traceId, waits } of quietWaits)
    if (waits) yield { trace_id: idToBytes(traceId), project_id: idToBytes(projectId), version }
}

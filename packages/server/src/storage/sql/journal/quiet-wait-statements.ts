import { sql } from 'kysely'
import { type ArrayTable, insertArrays } from '../kit/column-arrays.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { CommitRecord } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { JournalTables, QuietWaitRow } from './journal-tables.ts'

export const QUIET_WAITS: ArrayTable<QuietWaitRow> = {
  name: 'quiet_waits',
  columns: { trace_id: 'bytea', project_id: 'bytea', version: 'bigint' },
  conflict: sql`(trace_id) DO UPDATE SET version = excluded.version`,
}

export type QuietWaitStatements = ReturnType<typeof quietWaitStatementsOn>

/** Traces that wait to become complete. */
export function quietWaitStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    putQuietWaits: insertArrays(database, QUIET_WAITS),
    endQuietWait: database.statement((queries, { traceId }: { traceId: Uint8Array }) =>
      queries.deleteFrom('quiet_waits').where('trace_id', '=', traceId),
    ),
    quietSince: database.statement((queries, { version, limit }: { version: number; limit: number }) =>
      queries
        .selectFrom('quiet_waits')
        .select(['trace_id', 'project_id'])
        .where('version', '<=', version)
        .orderBy('version')
        .orderBy('trace_id')
        .limit(limit),
    ),
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

import { columnOf, inParts, rowsOfArrays } from '../kit/column-arrays.ts'
import { run, type SqlDatabase, type Work } from '../kit/sql-database.ts'
import type { CommitRecord } from '../../../ports/journal/journal.ts'
import { idToBytes } from '../../../lib/ids/typeid.ts'
import type { JournalTables, QuietWaitRow } from './journal-tables.ts'

export type QuietWaitStatements = ReturnType<typeof quietWaitStatementsOn>

/** Traces that wait to become complete. */
export function quietWaitStatementsOn(database: SqlDatabase<JournalTables>) {
  return {
    putQuietWait: database.statement((queries, row: QuietWaitRow) =>
      queries
        .insertInto('quiet_waits')
        .values({ trace_id: row.trace_id, project_id: row.project_id, version: row.version })
        .onConflict((conflict) =>
          conflict.column('trace_id').doUpdateSet(({ ref }) => ({ version: ref('excluded.version') })),
        ),
    ),
    /** Many in one statement. PostgreSQL only: SQLite needs no round trips. */
    putQuietWaits: database.statement((queries, { traceIds, projectIds, versions }: ManyWaits) =>
      queries
        .insertInto('quiet_waits')
        .columns(['trace_id', 'project_id', 'version'])
        .expression(({ selectFrom }) =>
          selectFrom(
            rowsOfArrays<QuietWaitRow>({
              trace_id: { values: traceIds, type: 'bytea' },
              project_id: { values: projectIds, type: 'bytea' },
              version: { values: versions, type: 'bigint' },
            }),
          ).selectAll(),
        )
        .onConflict((conflict) =>
          conflict.column('trace_id').doUpdateSet(({ ref }) => ({ version: ref('excluded.version') })),
        ),
    ),
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

interface ManyWaits {
  readonly traceIds: readonly Uint8Array[]
  readonly projectIds: readonly Uint8Array[]
  readonly versions: readonly number[]
}

/** Writes what a commit says about waiting traces. */
export function* writeQuietWaits(
  sql: QuietWaitStatements & { readonly dialect: SqlDatabase<unknown>['dialect'] },
  commit: Pick<CommitRecord, 'version' | 'quietWaits'>,
): Work<void> {
  for (const { traceId, waits } of commit.quietWaits)
    if (!waits) yield* run(sql.endQuietWait({ traceId: idToBytes(traceId) }))
  const waiting = [...waitingRows(commit)]
  if (sql.dialect === 'sqlite') {
    for (const row of waiting) yield* run(sql.putQuietWait(row))
    return
  }
  for (const rows of inParts(waiting)) {
    yield* run(
      sql.putQuietWaits({
        traceIds: columnOf(rows, 'trace_id'),
        projectIds: columnOf(rows, 'project_id'),
        versions: columnOf(rows, 'version'),
      }),
    )
  }
}

/** The rows of traces that wait from this commit on, each trace once. */
export function* waitingRows({
  version,
  quietWaits,
}: Pick<CommitRecord, 'version' | 'quietWaits'>): Generator<QuietWaitRow, void> {
  for (const { projectId, traceId, waits } of quietWaits)
    if (waits) yield { trace_id: idToBytes(traceId), project_id: idToBytes(projectId), version }
}

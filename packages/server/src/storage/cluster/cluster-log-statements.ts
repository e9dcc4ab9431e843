import { sql } from 'kysely'
import type { JournalTables } from '../sql/journal/journal-tables.ts'
import { listStatement } from '../sql/kit/list-statement.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import { TURN_LOCK } from './turns.ts'

export interface ClusterLogTables extends JournalTables {
  commits: CommitRow
  settling: SettledColumns
}

interface SettledColumns {
  readonly settled_through: number
  readonly wanted_through: number
  readonly pruned_through: number
  readonly batch_id: string | null
}

export interface CommitRow {
  readonly version: number
  /** Random: says whose commit this is when the answer to `COMMIT` was lost. */
  readonly id: Uint8Array
  /** See commit-payload.ts. */
  readonly payload: Uint8Array
  /** JSON of the rows in the journal. */
  readonly journal_rows: Uint8Array
}

export type ClusterLogSql = ReturnType<typeof clusterLogStatementsOn>

export function clusterLogStatementsOn(database: SqlDatabase<ClusterLogTables>) {
  return {
    /**
     * Waits for the commit that is under way, whoever writes it. `is_free`: it is no node's turn (turns.ts); then it is
     * none before this transaction ends.
     */
    lockState: database.statement((queries) =>
      queries
        .selectFrom('journal_state')
        .select(['version', sql<boolean>`pg_try_advisory_xact_lock_shared(${sql.lit(TURN_LOCK)})`.as('is_free')])
        .forUpdate(),
    ),
    readHead: database.statement((queries) =>
      queries
        .selectFrom(['journal_state', 'settling'])
        .select(['version', 'settled_through', 'wanted_through', 'settling.pruned_through', 'batch_id']),
    ),
    insertCommit: database.statement((queries, row: CommitRow) =>
      queries.insertInto('commits').values({
        version: row.version,
        id: row.id,
        payload: row.payload,
        journal_rows: row.journal_rows,
      }),
    ),
    commitsAfter: database.statement((queries, { version, limit }: { version: number; limit: number }) =>
      queries.selectFrom('commits').selectAll().where('version', '>', version).orderBy('version').limit(limit),
    ),
    traceKeys: listStatement(database, (queries, keys: readonly Uint8Array[], { projectId }: OfProject) =>
      queries
        .selectFrom('trace_keys')
        .select(['key', 'body_hash', 'trace_id'])
        .where('project_id', '=', projectId)
        .where('key', 'in', keys),
    ),
    stepKeys: listStatement(database, (queries, keys: readonly Uint8Array[], { traceId }: { traceId: Uint8Array }) =>
      queries
        .selectFrom('step_keys')
        .select(['key', 'step_id', 'content_hash'])
        .where('trace_id', '=', traceId)
        .where('key', 'in', keys),
    ),
    media: listStatement(database, (queries, hashes: readonly Uint8Array[], { projectId }: OfProject) =>
      queries.selectFrom('media').select('sha256').where('project_id', '=', projectId).where('sha256', 'in', hashes),
    ),
    attachments: listStatement(database, (queries, traceIds: readonly Uint8Array[]) =>
      queries
        .selectFrom('attachments')
        .select(({ fn }) => ['trace_id', fn.countAll().as('count')])
        .where('trace_id', 'in', traceIds)
        .groupBy('trace_id'),
    ),
  }
}

interface OfProject {
  readonly projectId: Uint8Array
}

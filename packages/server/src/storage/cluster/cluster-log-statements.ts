import { type Kysely, sql } from 'kysely'
import type { JournalTables } from '../sql/journal/journal-tables.ts'
import { rowsOfArrays } from '../sql/kit/column-arrays.ts'
import { raw } from '../sql/kit/raw-statement.ts'
import { listStatement } from '../sql/kit/list-statement.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import type { PostgresqlTables } from '../sql/postgresql/postgresql-tables.ts'

/** Of the node that does the work that only one may do: see OneLease. */
export const NODE_LEASE = 'work of one node'

/** While somebody holds it, payloads that have settled stay in the log, and deleted traces in ClickHouse. */
export const BACKUP_LEASE = 'backup'

/** By the clock of PostgreSQL, because clocks of nodes may differ: milliseconds since 1970 UTC. */
export const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

/** Idle nodes read the log seldom; this makes all of them read it at once, when the transaction is committed. */
export const LOG_CHANNEL = 'spoor_log'
export const WAKE_NODES = sql`pg_notify(${sql.lit(LOG_CHANNEL)}, '')`

export interface ClusterLogTables extends JournalTables, LeaseTables, PostgresqlTables {}
export type CommitRow = PostgresqlTables['commits']

/** `payload` is null if no partition of the commit was asked for. */
export interface FollowedCommit extends Pick<CommitRow, 'version' | 'journal_rows' | 'journal_head' | 'bytes'> {
  readonly payload: Uint8Array | null
  readonly partitions: readonly (number | string)[]
}

/** Of `readEnd`: the columns of a commit are null in the one row of a log without such. */
type EndRow = { readonly commit_version: number | null } & {
  readonly [Column in keyof Omit<FollowedCommit, 'version'>]: FollowedCommit[Column] | null
}

export type ClusterLogSql = ReturnType<typeof clusterLogStatementsOn>

export function clusterLogStatementsOn(database: SqlDatabase<ClusterLogTables>) {
  return {
    /** Waits for the commit that is under way, whoever writes it. */
    lockState: database.statement((queries) =>
      queries
        .selectFrom('journal_state')
        .select(['version', 'head_position', 'last_trace_id', sql<readonly string[]>`heads`.as('heads')])
        .forUpdate(),
    ),
    readHead: database.statement((queries) => headOf(queries)),
    /** The head, and with it the commits after `after`: one row for each, or one without a commit. */
    readEnd: database.statement((queries, { after, limit, held }: Omit<CommitRange, 'through'>) =>
      queries
        // With one row of it, PostgreSQL expects few rows in all, and does not compile the query each time.
        .selectFrom(headOf(queries).limit(1).as('head'))
        .leftJoinLateral(
          ({ selectFrom }) =>
            selectFrom('commits')
              .select(['version as commit_version', 'journal_rows', 'journal_head', 'bytes'])
              .select(sql<FollowedCommit['partitions']>`partitions`.as('partitions'))
              .select(payloadIfHeld(held))
              .where('version', '>', after)
              .orderBy('version')
              .limit(limit)
              .as('one'),
          (join) => join.onTrue(),
        )
        .selectAll()
        .orderBy('commit_version'),
    ),
    isHeld: database.statement((queries) => heldForBackup(queries)),
    notify: database.statement((queries) => raw(queries, sql`SELECT ${WAKE_NODES}`)),
    insertCommit: database.statement(
      (queries, { version, id, payload, journal_rows, journal_head, bytes, partitions }: NewCommitRow) =>
        raw(
          queries,
          sql`
            INSERT INTO commits (version, id, payload, journal_rows, journal_head, bytes, partitions)
            VALUES (${version}, ${id}, ${payload}, ${journal_rows}, ${journal_head}, ${bytes}, ${partitions}::bigint[])`,
        ),
    ),
    moveHeads: database.statement(
      (queries, { version, partitions }: { version: number; partitions: readonly number[] }) =>
        raw(queries, sql`UPDATE journal_state SET heads = ${movedHeads(version, partitions)}`),
    ),
    deleteCommit: database.statement((queries, { version }: { version: number }) =>
      queries.deleteFrom('commits').where('version', '=', version),
    ),
    commitsAfter: database.statement((queries, { after, through, limit, held }: CommitRange) =>
      queries
        .selectFrom('commits')
        .select(['version', 'journal_rows', 'journal_head', 'bytes'])
        .select(sql<FollowedCommit['partitions']>`partitions`.as('partitions'))
        .select(payloadIfHeld(held))
        .where('version', '>', after)
        .where('version', '<=', through)
        .orderBy('version')
        .limit(limit),
    ),
    payloadsOf: database.statement((queries, { versions }: { versions: readonly number[] }) =>
      queries
        .selectFrom('commits')
        .select(['version', 'payload'])
        .where(sql<boolean>`version = ANY(${versions}::bigint[])`)
        .orderBy('version'),
    ),
    commitWithId: database.statement((queries, { id, after }: { id: Uint8Array; after: number }) =>
      queries
        .selectFrom('commits')
        .select(['version', 'journal_rows', 'journal_head'])
        .where('version', '>', after)
        .where('id', '=', id),
    ),
    traceKeys: database.statement((queries, { ids, keys }: Pairs) =>
      queries
        .selectFrom(pairs('project_id', 'key', { ids, keys }))
        .innerJoin('trace_keys', (join) =>
          join.onRef('trace_keys.project_id', '=', 'given.project_id').onRef('trace_keys.key', '=', 'given.key'),
        )
        .select(['trace_keys.project_id', 'trace_keys.key', 'body_hash', 'trace_id']),
    ),
    stepKeys: database.statement((queries, { ids, keys }: Pairs) =>
      queries
        .selectFrom(pairs('trace_id', 'key', { ids, keys }))
        .innerJoin('step_keys', (join) =>
          join.onRef('step_keys.trace_id', '=', 'given.trace_id').onRef('step_keys.key', '=', 'given.key'),
        )
        .select(['step_keys.trace_id', 'step_keys.key', 'step_id', 'content_hash']),
    ),
    media: database.statement((queries, { ids, keys }: Pairs) =>
      queries
        .selectFrom(pairs('project_id', 'sha256', { ids, keys }))
        .innerJoin('media', (join) =>
          join.onRef('media.project_id', '=', 'given.project_id').onRef('media.sha256', '=', 'given.sha256'),
        )
        .select(['media.project_id', 'media.sha256']),
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

function headOf(queries: Kysely<ClusterLogTables>) {
  return (
    queries
      .selectFrom(['journal_state', 'settling'])
      .select([
        'version',
        'last_trace_id',
        'id_lead_ms',
        'settled_through',
        'wanted_through',
        'settling.pruned_through',
        'batch_through',
        'timeline',
      ])
      // As a third table, PostgreSQL would expect billions of rows and compile the query each time.
      .select(({ selectFrom }) => selectFrom('control_version').select('version').as('control_version'))
      .select(({ selectFrom }) => selectFrom('leases').select('until').where('name', '=', NODE_LEASE).as('lease_until'))
      .select(({ exists }) => exists(heldForBackup(queries)).as('is_held'))
  )
}

function payloadIfHeld(held: readonly number[]) {
  return sql<FollowedCommit['payload']>`CASE WHEN partitions && ${held}::bigint[] THEN payload END`.as('payload')
}

/** The commit of a row of `readEnd`, if it has one. */
export function toFollowed({ commit_version: version, ...row }: EndRow): FollowedCommit[] {
  return version === null ? [] : [{ ...(row as Omit<FollowedCommit, 'version'>), version }]
}

function heldForBackup(queries: Pick<Kysely<LeaseTables>, 'selectFrom'>) {
  return queries.selectFrom('leases').select('until').where('name', '=', BACKUP_LEASE).where('until', '>', NOW)
}

interface NewCommitRow extends CommitRow {
  readonly partitions: readonly number[]
}

interface CommitRange {
  readonly after: number
  readonly through: number
  readonly limit: number
  /** Payloads are read of commits of these partitions. */
  readonly held: readonly number[]
}

/** The heads of the state row after a commit of these partitions. */
export function movedHeads(version: unknown, partitions: unknown) {
  return sql`ARRAY(
    SELECT CASE WHEN number = ANY(${partitions}::int[]) THEN ${version} ELSE head END
    FROM unnest(heads) WITH ORDINALITY AS one(head, number)
    ORDER BY number
  )`
}

/** The first with the first, and so on. */
export interface Pairs {
  readonly ids: readonly Uint8Array[]
  readonly keys: readonly Uint8Array[]
}

function pairs<Id extends string, Key extends string>(id: Id, key: Key, { ids, keys }: Pairs) {
  const types = { [id]: 'bytea', [key]: 'bytea' } as Record<Id | Key, 'bytea'>
  return rowsOfArrays<Record<Id | Key, Uint8Array>>(types, (column) => (column === id ? ids : keys))
}

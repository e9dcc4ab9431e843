import type { JournalTables, StepKeyRow, TraceKeyRow } from '../sql/journal/journal-tables.ts'
import { GENERATION } from '../sql/journal/key-statements.ts'
import type { SqlDatabase } from '../sql/kit/sql-database.ts'
import { sqlTextOn } from '../sql/kit/sql-text.ts'
import type { LeaseTables } from '../sql/leases/lease-tables.ts'
import type { MediaRow } from '../sql/media/media-tables.ts'
import type { HeadRow } from './log-head.ts'
import type { PostgresqlTables } from '../sql/postgresql/postgresql-tables.ts'

/** Of the node that does the work that only one may do: see OneLease. */
export const NODE_LEASE = 'work of one node'

/** While somebody holds it, payloads that have settled stay in the log, and deleted traces in ClickHouse. */
export const BACKUP_LEASE = 'backup'

/** By the clock of PostgreSQL, because clocks of nodes may differ: milliseconds since 1970 UTC. */
export const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint'

/** Idle nodes read the log seldom; this makes all of them read it at once, when the transaction is committed. */
export const LOG_CHANNEL = 'spoor_log'
export const WAKE_NODES = `pg_notify('${LOG_CHANNEL}', '')`

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

/** Whether a backup holds what has settled. */
const HELD_FOR_BACKUP = `SELECT until FROM leases WHERE name = '${BACKUP_LEASE}' AND until > ${NOW}`

/** `control_version` is no third table: PostgreSQL would expect billions of rows and compile the query each time. */
const HEAD = `SELECT version, last_trace_id, id_lead_ms, settled_through, wanted_through, settling.pruned_through,
    batch_through, timeline,
    (SELECT version FROM control_version) AS control_version,
    (SELECT until FROM leases WHERE name = '${NODE_LEASE}') AS lease_until,
    EXISTS (${HELD_FOR_BACKUP}) AS is_held
  FROM journal_state, settling`

const FOLLOWED = `journal_rows, journal_head, bytes, partitions,
  CASE WHEN partitions && :held::bigint[] THEN payload END AS payload`

export function clusterLogStatementsOn(database: SqlDatabase<ClusterLogTables>) {
  const { query, listQuery } = sqlTextOn(database)
  return {
    /** Waits for the commit that is under way, whoever writes it. */
    lockState: query<
      object,
      Pick<JournalTables['journal_state'], 'version' | 'head_position' | 'last_trace_id'> & {
        readonly heads: readonly string[]
      }
    >('SELECT version, head_position, last_trace_id, heads FROM journal_state FOR UPDATE'),
    readHead: query<object, HeadRow>(HEAD),
    /**
     * The head, and with it the commits after `after`: one row for each, or one without a commit. With one row of the
     * head, PostgreSQL expects few rows in all, and does not compile the query each time.
     */
    readEnd: query<Omit<CommitRange, 'through'>, HeadRow & EndRow>(`SELECT * FROM (${HEAD} LIMIT 1) AS head
      LEFT JOIN LATERAL (SELECT version AS commit_version, ${FOLLOWED} FROM commits
        WHERE version > :after ORDER BY version LIMIT :limit) AS one ON true
      ORDER BY commit_version`),
    isHeld: query(HELD_FOR_BACKUP),
    notify: query(`SELECT ${WAKE_NODES}`),
    insertCommit: query<NewCommitRow>(`INSERT INTO commits
        (version, id, payload, journal_rows, journal_head, bytes, partitions)
      VALUES (:version, :id, :payload, :journal_rows, :journal_head, :bytes, :partitions::bigint[])`),
    moveHeads: query<{ version: number; partitions: readonly number[] }>(
      `UPDATE journal_state SET heads = ${movedHeads(':version', ':partitions')}`,
    ),
    deleteCommit: query<{ version: number }>('DELETE FROM commits WHERE version = :version'),
    commitsAfter: query<CommitRange, FollowedCommit>(`SELECT version, ${FOLLOWED} FROM commits
      WHERE version > :after AND version <= :through ORDER BY version LIMIT :limit`),
    payloadsOf: query<{ versions: readonly number[] }, Pick<CommitRow, 'version' | 'payload'>>(
      'SELECT version, payload FROM commits WHERE version = ANY(:versions::bigint[]) ORDER BY version',
    ),
    commitWithId: query<
      { id: Uint8Array; after: number },
      Pick<CommitRow, 'version' | 'journal_rows' | 'journal_head'>
    >('SELECT version, journal_rows, journal_head FROM commits WHERE version > :after AND id = :id'),
    traceKeys: query<KeyNames, Omit<TraceKeyRow, 'generation'>>(
      `SELECT project_id, key, body_hash, trace_id FROM ${knownKeys('project_id', 'trace_keys')}`,
    ),
    stepKeys: query<KeyNames, Omit<StepKeyRow, 'generation'>>(
      `SELECT trace_id, key, step_id, content_hash FROM ${knownKeys('trace_id', 'step_keys')}`,
    ),
    media: query<Pairs, Pick<MediaRow, 'project_id' | 'sha256'>>(
      `SELECT project_id, sha256 FROM ${given('project_id', 'sha256')} JOIN media USING (project_id, sha256)`,
    ),
    attachments: listQuery<Uint8Array, { trace_id: Uint8Array; count: number }>(
      'SELECT trace_id, count(*) AS count FROM attachments WHERE trace_id IN (:values) GROUP BY trace_id',
    ),
  }
}

/** The commit of a row of `readEnd`, if it has one. */
export function toFollowed({ commit_version: version, ...row }: EndRow): FollowedCommit[] {
  return version === null ? [] : [{ ...(row as Omit<FollowedCommit, 'version'>), version }]
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
export function movedHeads(version: string, partitions: string): string {
  return `ARRAY(
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

export interface KeyNames extends Pairs {
  /** Whether a key expires, 0 or 1. */
  readonly expire: readonly number[]
}

/** The keys of `KeyNames` that the log has. Of a lasting key both generations are 0. */
function knownKeys(id: string, table: string): string {
  return `unnest(:ids::bytea[], :keys::bytea[], :expire::bigint[]) AS given(${id}, key, expires)
    JOIN ${table} USING (${id}, key)
    WHERE generation = ANY (ARRAY[expires * ${GENERATION}, expires * (${GENERATION} - 1)])`
}

/** The rows of `Pairs`. */
function given(id: string, key: string): string {
  return `unnest(:ids::bytea[], :keys::bytea[]) AS given(${id}, ${key})`
}

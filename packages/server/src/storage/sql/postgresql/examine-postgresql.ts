import type { Client } from 'pg'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { type BucketState, newestMedia } from '../../blobs/bucket-timeline.ts'
import type { CheckResult } from '../../../operation/check-result.ts'
import { decodePlan } from '../../cluster/commit-payload.ts'
import { findMismatch, type Marks, type Timeline } from '../../cluster/timeline.ts'
import { describeClock } from '../../check/describe-clock.ts'
import { describeLeases } from '../../check/describe-leases.ts'
import { POSTGRESQL_MIGRATIONS } from '../schema/schemas.ts'
import { schemaProblems } from '../explain-open-failure.ts'
import { examineReplication } from './examine-replication.ts'
import { parsePostgresqlUrl } from './parse-postgresql-url.ts'
import { PostgresqlHosts, UnusableHost } from './postgresql-hosts.ts'

const TIMEOUT_MS = 5000
/** If the bucket lacks the newest, it was restored to an earlier moment. */
const EXAMINED_MEDIA = 100
/** Commits normally settle within a second. */
const MOST_WAIT_SECONDS = 60
/** Of payloads. In the memory of nodes, which refuses commits at 128 MB, the same commits are some times larger. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024
/** All that is deleted or replaced meanwhile stays, and statements read it again and again. */
const MOST_TRANSACTION_SECONDS = 600
/** Connections that a node opens at most. */
const CONNECTIONS_OF_NODE = 10

/**
 * What PostgreSQL says of itself, of what waits to be settled, of leases and of deliveries. Changes nothing. `marks`:
 * of ClickHouse, read before the call. Returns what it says of the bucket, null when it cannot be read. Throws
 * OperatorError for a wrong URL. No result has the password.
 */
export async function* examinePostgresql(
  url: string,
  ca: readonly string[] | null,
  marks: Marks,
): AsyncGenerator<CheckResult, BucketState | null> {
  const address = parsePostgresqlUrl(url)
  const hosts = new PostgresqlHosts(address, ca)
  let client: Client | null = null
  try {
    client = await hosts.connect({ query_timeout: TIMEOUT_MS })
    return yield* examine(client, { place: hosts.place, isPooled: address.isPooled }, marks)
  } catch (error) {
    const detail = error instanceof UnusableHost ? error.place : hosts.place
    yield { part: 'postgresql', detail, problems: [`PostgreSQL cannot be used: ${reasonOf(error)}.`] }
    return null
  } finally {
    await client?.end()
  }
}

async function* examine(
  client: Client,
  { place, isPooled }: { readonly place: string; readonly isPooled: boolean },
  marks: Marks,
): AsyncGenerator<CheckResult, BucketState | null> {
  const sentAt = Date.now()
  const [server] = await rows<{ version: string; now: string }>(
    client,
    `SELECT current_setting('server_version') AS version, extract(epoch FROM clock_timestamp()) * 1000 AS now`,
  )
  const clock = describeClock('PostgreSQL', Number(server?.now) - (sentAt + Date.now()) / 2)
  const known = POSTGRESQL_MIGRATIONS.at(-1)?.version ?? 0
  const found = await schemaVersion(client)
  const schema = found === 0 ? 'no schema yet' : `schema ${found}`
  const problems = [...clock.problems, ...schemaProblems(found, POSTGRESQL_MIGRATIONS)]
  const way = isPooled ? ' through a pooler of transactions' : ''
  const detail = `${place}${way}, version ${server?.version}, ${schema}, clock ${clock.detail}`
  yield { part: 'postgresql', detail, problems }
  if (found !== known) return null
  yield await examineDurability(client)
  yield await examineReplication(client)
  yield await examineSettling(client, marks, Number(server?.now))
  yield await examineActivity(client, isPooled)
  yield await examineLeases(client, Number(server?.now))
  const [state] = await rows<{ timeline: Timeline }>(client, 'SELECT timeline FROM settling')
  const media = await rows<{ key: BlobKey }>(client, newestMedia(EXAMINED_MEDIA))
  return state === undefined ? null : { ...state, media: media.map(({ key }) => key) }
}

/** Shows sessions of other roles only to a member of `pg_read_all_stats`. */
async function examineActivity(client: Client, isPooled: boolean): Promise<CheckResult> {
  const [row] = await rows<Readonly<Record<'most' | 'used' | 'longest', number>>>(
    client,
    `SELECT count(*)::int AS used,
       current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
       coalesce(max(extract(epoch FROM clock_timestamp() - xact_start))
         FILTER (WHERE datname = current_database() AND pid <> pg_backend_pid()), 0)::int AS longest
     FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  )
  return describeActivity(row ?? { most: 0, used: 0, longest: 0 }, isPooled)
}

/** `longest`: seconds of the longest open transaction. Through a pooler, nodes share its connections. */
export function describeActivity(
  { most, used, longest }: Readonly<Record<'most' | 'used' | 'longest', number>>,
  isPooled = false,
) {
  const detail = `${used} of ${most} connections, the longest transaction has been open for ${longest} s`
  const problems: string[] = []
  if (!isPooled && most - used < CONNECTIONS_OF_NODE)
    problems.push(`There is no room for another node, which opens ${CONNECTIONS_OF_NODE}: raise max_connections.`)
  if (longest > MOST_TRANSACTION_SECONDS)
    problems.push('Such a long transaction slows all nodes down: see xact_start in pg_stat_activity, and end it.')
  return { part: 'activity', detail, problems }
}

/** Each session or transaction of a node turns `synchronous_commit` on for itself; the other two are of the server. */
async function examineDurability(client: Client): Promise<CheckResult> {
  const [row] = await rows<Readonly<Record<'fsync' | 'pages' | 'commits', string>>>(
    client,
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
       (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS commits`,
  )
  const detail = `fsync ${row?.fsync}, full_page_writes ${row?.pages}, synchronous_commit ${row?.commits}`
  const isFlushed = row?.fsync === 'on'
  const problem = 'fsync is off: when its machine fails, acknowledged data is lost, and the rest may be damaged.'
  return { part: 'durability', detail, problems: isFlushed ? [] : [problem] }
}

async function examineSettling(client: Client, marks: Marks, now: number): Promise<CheckResult> {
  const waiting = 'FROM commits WHERE version > (SELECT settled_through FROM settling)'
  const [row] = await rows<{ commits: string; bytes: string }>(
    client,
    `SELECT count(*) AS commits, coalesce(sum(octet_length(payload)), 0) AS bytes ${waiting}`,
  )
  const [oldest] = await rows<{ payload: Buffer }>(client, `SELECT payload ${waiting} ORDER BY version LIMIT 1`)
  const seconds = oldest === undefined ? 0 : Math.round((now - (await decodePlan(oldest.payload)).committedAt) / 1000)
  // What has settled just now may not have been in ClickHouse when it was examined.
  const [batch] = await rows<Readonly<Record<'timeline' | 'settled' | 'sent' | 'earlier', string>>>(
    client,
    `SELECT timeline, coalesce(batch_through, settled_through) AS sent, settled_through AS settled, greatest(pruned_through,
       (SELECT max(through) FROM settled_marks WHERE settled_at < ${Math.floor(now) - MOST_WAIT_SECONDS * 1000})) AS earlier
     FROM settling`,
  )
  if (batch === undefined) throw new Error('the record of settling has lost its row')
  const { timeline, settled, sent, earlier } = batch
  const underWay = sent === settled ? '' : `, a batch through commit ${sent} is under way`
  const since = oldest === undefined ? '' : `, the oldest for ${seconds} s`
  const detail = `${row?.commits} commits with ${row?.bytes} bytes wait to be settled${since}${underWay}`
  const mismatch = findMismatch({ timeline, settledThrough: Number(earlier), sentThrough: Number(sent) }, marks)
  const problems = mismatch === null ? [] : [mismatch.message]
  if (seconds > MOST_WAIT_SECONDS || Number(row?.bytes) > MOST_WAITING_BYTES)
    problems.push('Too much waits: no node runs, or ClickHouse takes too little. Nodes will refuse commits.')
  return { part: 'settling', detail, problems }
}

async function examineLeases(client: Client, now: number): Promise<CheckResult> {
  const held = `SELECT name, holder, until FROM leases WHERE until > ${Math.floor(now)} ORDER BY name`
  return describeLeases(await rows(client, held), now)
}

/** 0 for an empty database. */
async function schemaVersion(client: Client): Promise<number> {
  const [there] = await rows<{ table: string | null }>(client, `SELECT to_regclass('schema_versions') AS table`)
  if ((there?.table ?? null) === null) return 0
  const [row] = await rows<{ version: number }>(client, 'SELECT max(version)::int AS version FROM schema_versions')
  return row?.version ?? 0
}

async function rows<Row extends object>(client: Client, sql: string): Promise<readonly Row[]> {
  return (await client.query<Row>(sql)).rows
}

function reasonOf(error: unknown): string {
  const cause = error instanceof UnusableHost ? error.cause : error
  // Several addresses of one host fail together, with no message of their own.
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}

import { Client } from 'pg'
import type { CheckResult } from '../../../operation/check-result.ts'
import { olderPostgresql } from '../../cluster/older-postgresql.ts'
import { describeClock } from '../../check/describe-clock.ts'
import { POSTGRESQL_MIGRATIONS } from '../schema/schemas.ts'
import { connectionOf } from './open-postgresql.ts'
import { parsePostgresqlUrl } from './parse-postgresql-url.ts'

const TIMEOUT_MS = 5000

/**
 * What PostgreSQL says of itself, of what waits to be settled, of leases and of deliveries. Changes nothing. `marked`:
 * see olderPostgresql. Throws OperatorError for a wrong URL. No result has the password.
 */
export async function* examinePostgresql(
  url: string,
  ca: readonly string[] | null,
  marked: number,
): AsyncGenerator<CheckResult> {
  const address = parsePostgresqlUrl(url)
  const place = `${address.database} on ${address.host}:${address.port}`
  const client = new Client({
    ...connectionOf(address, ca),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    yield* examine(client, place, marked)
  } catch (error) {
    yield { part: 'postgresql', detail: place, problems: [`PostgreSQL cannot be used: ${reasonOf(error)}.`] }
  } finally {
    await client.end()
  }
}

async function* examine(client: Client, place: string, marked: number): AsyncGenerator<CheckResult> {
  const sentAt = Date.now()
  const [server] = await rows<{ version: string; now: string }>(
    client,
    `SELECT current_setting('server_version') AS version, extract(epoch FROM clock_timestamp()) * 1000 AS now`,
  )
  const clock = describeClock('PostgreSQL', Number(server?.now) - (sentAt + Date.now()) / 2)
  const known = POSTGRESQL_MIGRATIONS.at(-1)?.version ?? 0
  const found = await schemaVersion(client)
  const schema = found === 0 ? 'no schema yet' : `schema ${found}`
  const problems = [...clock.problems]
  if (found > known) problems.push(`Its schema ${found} is of a newer Spoor; this one knows ${known}.`)
  else if (found > 0 && found < known)
    problems.push(`Its schema ${found} is from before the first release; start with an empty one.`)
  const detail = `${place}, version ${server?.version}, ${schema}, clock ${clock.detail}`
  yield { part: 'postgresql', detail, problems }
  if (found !== known) return
  yield await examineDurability(client)
  yield await examineSettling(client, marked)
  yield await examineLeases(client, Number(server?.now))
  yield await examineJournal(client)
}

/** Each node turns `synchronous_commit` on for itself; the other two are of the server. */
async function examineDurability(client: Client): Promise<CheckResult> {
  const [row] = await rows<Readonly<Record<'fsync' | 'pages' | 'commits', string>>>(
    client,
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
       current_setting('synchronous_commit') AS commits`,
  )
  const detail = `fsync ${row?.fsync}, full_page_writes ${row?.pages}, synchronous_commit ${row?.commits}`
  const isFlushed = row?.fsync === 'on'
  const problem = 'fsync is off: when its machine fails, acknowledged data is lost, and the rest may be damaged.'
  return { part: 'durability', detail, problems: isFlushed ? [] : [problem] }
}

async function examineSettling(client: Client, marked: number): Promise<CheckResult> {
  const [row] = await rows<{ commits: string; bytes: string }>(
    client,
    `SELECT count(*) AS commits, coalesce(sum(octet_length(payload)), 0) AS bytes FROM commits
     WHERE version > (SELECT settled_through FROM settling)`,
  )
  const [batch] = await rows<{ settled_through: string; batch_through: string | null }>(
    client,
    'SELECT settled_through, batch_through FROM settling',
  )
  const through = batch?.batch_through ?? null
  const underWay = through === null ? '' : `, a batch through commit ${through} is under way`
  const detail = `${row?.commits} commits with ${row?.bytes} bytes wait to be settled${underWay}`
  const problem = olderPostgresql(marked, Number(through ?? batch?.settled_through))
  return { part: 'settling', detail, problems: problem === null ? [] : [problem] }
}

async function examineLeases(client: Client, now: number): Promise<CheckResult> {
  const held = await rows<{ name: string; holder: string; until: string }>(
    client,
    `SELECT name, holder, until FROM leases WHERE until > ${Math.floor(now)} ORDER BY name`,
  )
  const detail = held
    .map(({ name, holder, until }) => `${name}: ${holder}, ${Math.round((Number(until) - now) / 1000)} s left`)
    .join('; ')
  return { part: 'leases', detail: detail || 'nobody holds one', problems: [] }
}

async function examineJournal(client: Client): Promise<CheckResult> {
  const [row] = await rows<{ head: string }>(client, 'SELECT head_position AS head FROM journal_state')
  return { part: 'journal', detail: `events through position ${row?.head}`, problems: [] }
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
  // Several addresses of one host fail together, with no message of their own.
  const first = error instanceof AggregateError ? error.errors[0] : error
  return first instanceof Error ? first.message : String(first)
}

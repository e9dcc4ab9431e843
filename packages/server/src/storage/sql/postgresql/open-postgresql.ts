import { type Client, DatabaseError, Pool } from 'pg'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { PooledTransactions } from '../kit/pooled-transactions.ts'
import { PostgresqlDatabase, type PostgresqlDatabaseOptions } from '../kit/postgresql-database.ts'
import { POSTGRESQL_TYPES } from '../kit/postgresql-values.ts'
import { POSTGRESQL_MIGRATIONS } from '../schema/schemas.ts'
import { parsePostgresqlUrl } from './parse-postgresql-url.ts'
import { PostgresqlHosts, type UnusableHost } from './postgresql-hosts.ts'
import { runPostgresqlMigrations } from './run-postgresql-migrations.ts'

const OLDEST_VERSION = 15

/**
 * Milliseconds. The server ends statements and transactions that take longer, so that a node that stops in the middle
 * of one does not keep its locks. The driver gives up a little later, for when the server cannot answer.
 */
const TIMEOUTS = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 10_000 }
const QUERY_TIMEOUT_MS = 15_000
const LOCK_TIMEOUT_MS = 5000
/** None, whatever the database or the role says. */
const NO_TIMEOUTS: typeof TIMEOUTS = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 }
/** The driver sends no 0. */
const SENT_NO_TIMEOUTS = { options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0' }

export interface OpenPostgresqlOptions extends Omit<PostgresqlDatabaseOptions, 'pool' | 'pooled'> {
  readonly url: string
  /** Certificates (PEM) of the authorities that may sign the server's; null or not given: those that Node knows. */
  readonly ca?: readonly string[] | null
  readonly clock: Clock
  /** Most connections of this process, 10 if not given. */
  readonly mostConnections?: number
  /** For a command whose statements and transactions may take hours. */
  readonly isLong?: boolean
}

export interface OpenPostgresql {
  readonly database: PostgresqlDatabase<unknown>
  /** Ends all connections. MUST be the last call. */
  close(): Promise<void>
}

/**
 * Connects to PostgreSQL and migrates the database to the latest schema. Several processes may do so at once. Rejects
 * with OperatorError if the URL is wrong, the server cannot be reached, takes no writes or is too old, or the database
 * belongs to another program or a newer Spoor.
 */
export async function openPostgresql(options: OpenPostgresqlOptions): Promise<OpenPostgresql> {
  const address = parsePostgresqlUrl(options.url)
  const hosts = new PostgresqlHosts(address, options.ca ?? null)
  await migrate(hosts, options.clock, address.isPooled)
  const { isLong = false } = options
  const pooled = address.isPooled
    ? new PooledTransactions({ ...(isLong ? NO_TIMEOUTS : TIMEOUTS), lock_timeout: LOCK_TIMEOUT_MS })
    : null
  const ofSession = { ...(isLong ? SENT_NO_TIMEOUTS : TIMEOUTS), lock_timeout: LOCK_TIMEOUT_MS }
  const pool = new Pool({
    ...(pooled === null ? ofSession : {}),
    ...(isLong ? {} : { query_timeout: QUERY_TIMEOUT_MS }),
    // The type has the class without its options, which the pool does give.
    Client: hosts.Client as new () => Client,
    connectionTimeoutMillis: address.connectTimeoutMs,
    types: POSTGRESQL_TYPES,
    max: options.mostConnections ?? 10,
    // Longer than the pauses of an idle node: a new connection costs the server more than its queries.
    idleTimeoutMillis: 60_000,
  })
  // A lost idle connection is replaced; the next request finds out by itself.
  pool.on('error', () => undefined)
  return { database: new PostgresqlDatabase<unknown>({ ...options, pool, pooled }), close: () => pool.end() }
}

/**
 * On a connection of its own, because a migration may take longer than any other statement. A node that stops in the
 * middle of one does not keep the lock, unless through a pooler.
 */
async function migrate(hosts: PostgresqlHosts, clock: Clock, isPooled: boolean): Promise<void> {
  const { idle_in_transaction_session_timeout } = TIMEOUTS
  const client = await hosts
    .connect(isPooled ? {} : { idle_in_transaction_session_timeout })
    .catch((error: UnusableHost) => {
      throw refusal(error.place, error.cause)
    })
  const { place } = hosts
  try {
    await checkServer(client)
    await runPostgresqlMigrations(client, POSTGRESQL_MIGRATIONS, clock, place)
  } catch (error) {
    throw refusal(place, error)
  } finally {
    await client.end()
  }
}

async function checkServer(client: Client): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding`,
  )
  const { version = '', encoding } = rows[0] ?? {}
  if (Number.parseInt(version) < OLDEST_VERSION) {
    throw new OperatorError(`PostgreSQL ${version} is too old. Spoor needs version ${OLDEST_VERSION} or later.`)
  }
  if (encoding !== 'UTF8') {
    throw new OperatorError(`The database has the encoding ${encoding}. Spoor needs one with UTF8.`)
  }
}

function refusal(place: string, error: unknown): OperatorError {
  return error instanceof OperatorError ? error : new OperatorError(explain(place, error), { cause: error })
}

function explain(place: string, error: unknown): string {
  // Several addresses of one host fail together, with no message of their own.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error ? first.message : String(first)
  const reason = `${message}${adviceFor(first, message)}`
  return first instanceof DatabaseError
    ? `PostgreSQL refused the database ${place}: ${reason}.`
    : `PostgreSQL cannot be reached for the database ${place}: ${reason}.`
}

function adviceFor(error: unknown, message: string): string {
  if (isAboutCertificate(error)) return ' (SPOOR_TLS_CA_FILE can name an authority to trust)'
  // As PgBouncer says it.
  return message.startsWith('unsupported startup parameter') ? ' (the URL of a pooler needs ?pgbouncer=true)' : ''
}

/** Codes of OpenSSL that a certificate of an unknown authority leads to. */
function isAboutCertificate(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/.test(code)
}

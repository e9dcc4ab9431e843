import { Client, type ClientBase, type ClientConfig, DatabaseError, Pool } from 'pg'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import { PostgresqlDatabase, type PostgresqlDatabaseOptions } from '../kit/postgresql-database.ts'
import { POSTGRESQL_TYPES } from '../kit/postgresql-values.ts'
import { POSTGRESQL_MIGRATIONS } from '../schema/schemas.ts'
import { parsePostgresqlUrl, type PostgresqlAddress } from './parse-postgresql-url.ts'
import { runPostgresqlMigrations } from './run-postgresql-migrations.ts'

const OLDEST_VERSION = 15

/**
 * Milliseconds. The server ends statements and transactions that take longer, so that a node that stops in the middle
 * of one does not keep its locks. The driver gives up a little later, for when the server cannot answer.
 */
const TIMEOUTS = {
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  query_timeout: 15_000,
}
const CONNECT_TIMEOUT_MS = 5000
const LOCK_TIMEOUT_MS = 5000
/** None, whatever the database or the role says. The driver sends no 0. */
const NO_TIMEOUTS = { options: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0' }

export interface OpenPostgresqlOptions extends Pick<PostgresqlDatabaseOptions, 'around'> {
  readonly url: string
  /** Certificates (PEM) of the authorities that may sign the server's; null or not given: those that Node knows. */
  readonly ca?: readonly string[] | null
  readonly clock: Clock
  readonly random: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Most connections of this process, 10 if not given. */
  readonly mostConnections?: number
  /** For a command whose statements and transactions may take hours. */
  readonly isLong?: boolean
  /** Called with the cause of a failed read; the caller gets a DomainError. */
  readonly onReadError?: (error: unknown) => void
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
  const connection = connectionOf(address, options.ca ?? null)
  await migrate(address, connection, options.clock)
  // The pool waits for it, and drops the connection if it rejects; its type does not say so.
  const onConnect: (client: ClientBase) => unknown = prepare
  const pool = new Pool({
    ...connection,
    ...(options.isLong === true ? NO_TIMEOUTS : TIMEOUTS),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    types: POSTGRESQL_TYPES,
    application_name: 'spoor',
    keepAlive: true,
    max: options.mostConnections ?? 10,
    onConnect,
  })
  // A lost idle connection is replaced; the next request finds out by itself.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return { database: new PostgresqlDatabase<unknown>({ ...options, pool }), close: () => pool.end() }
}

/** On a connection of its own, because a migration may take longer than any other statement. */
async function migrate(
  { host, port, database }: PostgresqlAddress,
  connection: ClientConfig,
  clock: Clock,
): Promise<void> {
  const name = `${database} on ${host}:${port}`
  const client = new Client({ ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await prepare(client)
    await checkServer(client)
    await runPostgresqlMigrations(client, POSTGRESQL_MIGRATIONS, clock, name)
  } catch (error) {
    throw error instanceof OperatorError ? error : new OperatorError(explain(error, name), { cause: error })
  } finally {
    await client.end()
  }
}

/**
 * Acknowledged commits are flushed, whatever the database or the role says; `remote_apply` waits for more. Rejects if
 * the server takes no writes: after a failover, the address may still lead to a standby.
 */
async function prepare(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ read_only: string }>(
    `SELECT current_setting('transaction_read_only') AS read_only, CASE current_setting('synchronous_commit')
       WHEN 'remote_apply' THEN NULL ELSE set_config('synchronous_commit', 'on', false) END`,
  )
  if (rows[0]?.read_only === 'on')
    throw new OperatorError('PostgreSQL takes no writes: it is a standby, or default_transaction_read_only is on.')
}

/** As the driver takes it: a Unix socket is never encrypted. */
export function connectionOf({ isSecure, ...address }: PostgresqlAddress, ca: readonly string[] | null): ClientConfig {
  const ssl = isSecure && !address.host.startsWith('/') && (ca === null ? {} : { ca: [...ca] })
  return { ...address, ssl }
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

function explain(error: unknown, name: string): string {
  // Several addresses of one host fail together, with no message of their own.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const message = first instanceof Error ? first.message : String(first)
  const reason = isAboutCertificate(first) ? `${message} (SPOOR_TLS_CA_FILE can name an authority to trust)` : message
  return first instanceof DatabaseError
    ? `PostgreSQL refused the database ${name}: ${reason}.`
    : `PostgreSQL cannot be reached for the database ${name}: ${reason}.`
}

/** Codes of OpenSSL that a certificate of an unknown authority leads to. */
function isAboutCertificate(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^(SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/.test(code)
}

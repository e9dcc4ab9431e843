import { OperatorError } from '../../../lib/operator-error.ts'

/** Where a database is. Its members may be logged, except for the password, which logs and `inspect` leave out. */
export interface PostgresqlAddress {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  readonly password: () => string
  /** Whether connections are encrypted, and the server's certificate checked for an authority and the host's name. */
  readonly isSecure: boolean
}

/**
 * Values of `sslmode`. With `require`, libpq encrypts and checks nothing, so that anybody on the way could read along;
 * here it is the same as `verify-full`. Other values would allow a connection without encryption, or another host.
 */
const SSL_MODES: ReadonlyMap<string | null, boolean> = new Map([
  [null, false],
  ['disable', false],
  ['require', true],
  ['verify-full', true],
])

/**
 * Reads `postgresql://user:password@host:5432/database`, with `?host=FOLDER` for a Unix socket, and `sslmode`. Throws
 * OperatorError, whose message has no part of the URL but the names of parameters, because that may hold the password.
 */
export function parsePostgresqlUrl(text: string): PostgresqlAddress {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['postgresql:', 'postgres:'].includes(url.protocol)) throw refusal('cannot be read')
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'host' && name !== 'sslmode')
  if (unknown !== undefined) throw refusal(`has the parameter ${unknown}, which Spoor does not know`)
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decode)
  if (!user || !database) throw refusal('names no user or no database')
  const host = url.searchParams.get('host') ?? url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw refusal('names no host')
  const isSecure = SSL_MODES.get(url.searchParams.get('sslmode'))
  if (isSecure === undefined) throw refusal('has an sslmode that is not disable, require or verify-full')
  return { host, port: Number(url.port || 5432), database, user, password: () => password ?? '', isSecure }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw refusal('has a % that is not followed by two hexadecimal digits')
  }
}

function refusal(problem: string): OperatorError {
  return new OperatorError(
    `The URL of PostgreSQL ${problem}. It must look like postgresql://user:password@host:5432/database.`,
  )
}

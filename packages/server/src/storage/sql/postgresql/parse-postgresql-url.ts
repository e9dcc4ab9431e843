import { OperatorError } from '../../../lib/operator-error.ts'

/** Where a database is. Its members may be logged, except for the password, which logs and `inspect` leave out. */
export interface PostgresqlAddress {
  /** At least one. A primary and its standbys. */
  readonly hosts: readonly PostgresqlHost[]
  readonly database: string
  readonly user: string
  readonly password: () => string
  /** Whether connections are encrypted, and the server's certificate checked for an authority and the host's name. */
  readonly isSecure: boolean
  /** Whether the password's proof is bound to the encrypted connection, where the server offers it. */
  readonly bindsChannel: boolean
  readonly applicationName: string
  /** Whether a pooler is there that keeps no session: each transaction may get another connection to the server. */
  readonly isPooled: boolean
  readonly connectTimeoutMs: number
}

interface PostgresqlHost {
  /** A host name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
}

const DEFAULT_PORT = 5432
const DEFAULT_CONNECT_SECONDS = 5

/**
 * Parameters with the values that they may have. With `sslmode=require`, libpq encrypts and checks nothing, so that
 * anybody on the way could read along; here it is the same as `verify-full`. Other values would allow a connection
 * without encryption, or another host. A server that takes no writes is of no use here, so values of
 * `target_session_attrs` mean the same. `pgbouncer` has the name that other programs use and providers print.
 */
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  host: /./,
  application_name: /./,
  sslmode: /^(disable|require|verify-full)$/,
  channel_binding: /^(disable|prefer|require)$/,
  target_session_attrs: /^(any|primary|read-write)$/,
  pgbouncer: /^(true|false)$/,
  connect_timeout: /^([1-9]|[1-5]\d|60)$/,
}

/** Up to the last `@`: a password may have more. Hosts with ports; after them. `URL` takes one host with a port. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const HOST = /^(?<host>\[[\da-f:.%\w]+\]|[^:,[\]]*)(?::(?<port>\d{1,5}))?$/i

/**
 * Reads `postgresql://user:password@host:5432/database`, with `?host=FOLDER` for a Unix socket, several hosts separated
 * by commas, and parameters, most of them of libpq. Throws OperatorError, whose message has no part of the URL but the
 * names of parameters, because that may hold the password.
 */
export function parsePostgresqlUrl(text: string): PostgresqlAddress {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(text) ?? []
  const url = URL.canParse(`${before}host${after}`) ? new URL(`${before}host${after}`) : null
  if (url === null) throw refusal('cannot be read')
  for (const [name, value] of url.searchParams) {
    const allowed = PARAMETERS[name]
    if (allowed === undefined) throw refusal(`has the parameter ${name}, which Spoor does not know`)
    if (!allowed.test(value)) throw refusal(`has a ${name} that does not match ${allowed.source}`)
  }
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decode)
  if (!user || !database) throw refusal('names no user or no database')
  const given = (name: string) => url.searchParams.get(name)
  return {
    hosts: hosts.split(',').map((one) => parseHost(one, given('host'))),
    database,
    user,
    password: () => password ?? '',
    isSecure: (given('sslmode') ?? 'disable') !== 'disable',
    bindsChannel: given('channel_binding') !== 'disable',
    applicationName: given('application_name') ?? 'spoor',
    isPooled: given('pgbouncer') === 'true',
    connectTimeoutMs: 1000 * Number(given('connect_timeout') ?? DEFAULT_CONNECT_SECONDS),
  }
}

function parseHost(text: string, folder: string | null): PostgresqlHost {
  const found = HOST.exec(text)?.groups
  const port = Number(found?.['port'] ?? DEFAULT_PORT)
  if (found === undefined || port < 1 || port > 65_535) throw refusal('cannot be read')
  const host = folder ?? decode(found['host'] ?? '').replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw refusal('names no host')
  return { host, port }
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

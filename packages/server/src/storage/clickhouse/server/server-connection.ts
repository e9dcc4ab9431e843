import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { OperatorError } from '../../../lib/operator-error.ts'

/** How to reach a ClickHouse server by HTTP. */
export interface ServerAddress {
  /** `http:` or `https:`, host, port, and the path of a proxy if there is one. Without user and password. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Certificates (PEM) of the authorities that may sign the server's; null: Node's own. */
  readonly ca: readonly string[] | null
}

/** A connection that is not established by then has failed. */
const CONNECT_TIMEOUT_MS = 5000

/** Throws OperatorError for a URL that names more than the server. */
export function openClient(
  { url, user, password, ca }: ServerAddress,
  { database, requestTimeoutMs, mostConnections }: ClientOptions,
): ClickHouseClient {
  const { protocol, origin, pathname, search, username, password: inUrl } = parseUrl(url)
  if (username !== '' || inUrl !== '' || search !== '')
    throw new OperatorError(
      'The URL of ClickHouse must not contain a user, a password or parameters: give user, password and database separately.',
    )
  return createClient({
    url: origin,
    ...(pathname === '/' ? {} : { pathname }),
    username: user,
    password,
    database,
    application: 'spoor',
    request_timeout: requestTimeoutMs,
    compression: { request: false, response: { codec: 'zstd' } },
    keep_alive: { enabled: true, eagerly_destroy_stale_sockets: true },
    http_agent: agentFor(protocol, mostConnections, ca),
    // Errors reach the caller; the client would also print them.
    log: { level: ClickHouseLogLevel.OFF },
  })
}

interface ClientOptions {
  readonly database: string
  /** A connection on which nothing moves for this long has failed. */
  readonly requestTimeoutMs: number
  readonly mostConnections: number
}

function parseUrl(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new OperatorError('The URL of ClickHouse must be an http:// or https:// URL, such as http://localhost:8123.')
  return parsed
}

/** Node has a limit for idle sockets, but none for connecting. */
function agentFor(protocol: string, maxSockets: number, ca: ServerAddress['ca']): Agent | SecureAgent {
  const options = { keepAlive: true, maxSockets }
  const isSecure = protocol === 'https:'
  const agent = isSecure ? new SecureAgent(ca === null ? options : { ...options, ca: [...ca] }) : new Agent(options)
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...given) => {
    const socket = connect(...given)
    const timer = setTimeout(
      () => socket?.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      CONNECT_TIMEOUT_MS,
    )
    const stop = () => clearTimeout(timer)
    socket?.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop)
    return socket
  }
  return agent
}

/** An error that the server answered, with the code of its ErrorCodes.cpp as the embedded engine's errors have it. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly clickhouseCode: number

  constructor({ code, type, message }: ClickHouseError) {
    super(`${message.trim()} (${type ?? code})`)
    this.clickhouseCode = Number(code)
  }
}

/** Converts the client's errors to errors of an engine; others (of the connection, or a proxy) stay unchanged. */
export function toServerError(error: unknown): unknown {
  return error instanceof ClickHouseError ? new ServerError(error) : error
}

/** The connection failed: reset, refused, or closed. Then there was no answer. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof Error && 'code' in error && BROKEN.has(error.code)
}

const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE'])

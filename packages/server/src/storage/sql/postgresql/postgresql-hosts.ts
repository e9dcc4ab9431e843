import { callbackify } from 'node:util'
import { Client, type ClientConfig } from 'pg'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { PostgresqlAddress } from './parse-postgresql-url.ts'

/**
 * The servers that a URL names, of which one takes writes. Connections are made to the one that took the last; when it
 * does not take one, the next is tried.
 */
export class PostgresqlHosts {
  /** Of connections. Its `connect` resolves when the server takes writes, and else rejects. */
  readonly Client: new (options: ClientConfig) => Client
  readonly #address: PostgresqlAddress
  #at = 0

  /** @param ca certificates (PEM) of the authorities that may sign the servers'; null: those that Node knows */
  constructor(address: PostgresqlAddress, ca: readonly string[] | null) {
    this.#address = address
    const config = () => this.#config(ca)
    const leave = (at: number) => this.#leave(at)
    const current = () => this.#at
    const { isPooled } = address
    this.Client = class extends Client {
      readonly #at = current()

      constructor(options: ClientConfig) {
        super({ ...options, ...config() })
        // Whoever uses it next finds out; without a listener, the process would end.
        this.on('error', () => undefined)
      }

      override connect(): Promise<Client>
      override connect(callback: (error: Error | null) => void): void
      override connect(callback?: (error: Error | null) => void): Promise<Client> | void {
        if (callback === undefined) return this.#connect()
        callbackify(() => this.#connect())(callback)
      }

      async #connect(): Promise<Client> {
        try {
          await super.connect()
          await prepare(this, isPooled)
          return this
        } catch (error) {
          leave(this.#at)
          await this.end()
          throw error
        }
      }
    }
  }

  /** How many there are. */
  get count(): number {
    return this.#address.hosts.length
  }

  /** The database on the host that the next connection is made to. */
  get place(): string {
    const { host, port } = this.#current
    return `${this.#address.database} on ${host}:${port}`
  }

  /** A new connection to the first host that takes writes. Rejects with the error of the host that was tried first. */
  async connect(options: ClientConfig = {}): Promise<Client> {
    let first: unknown = null
    for (let tried = 0; tried < this.count; tried++) {
      const { place } = this
      try {
        const client = new this.Client(options)
        await client.connect()
        return client
      } catch (error) {
        first ??= new UnusableHost(place, error)
      }
    }
    throw first
  }

  get #current() {
    const host = this.#address.hosts[this.#at]
    if (host === undefined) throw new Error('an address has hosts')
    return host
  }

  #config(ca: readonly string[] | null): ClientConfig {
    const { isSecure, bindsChannel, applicationName, connectTimeoutMs, user, password, database } = this.#address
    const { host, port } = this.#current
    // The driver would ask for encryption on a Unix socket too.
    const ssl = isSecure && !host.startsWith('/') && (ca === null ? {} : { ca: [...ca] })
    const more = { enableChannelBinding: bindsChannel, application_name: applicationName, keepAlive: true }
    return { user, password, database, ...more, host, port, ssl, connectionTimeoutMillis: connectTimeoutMs }
  }

  /** Several connections may fail at once: only the first takes them to the next host. */
  #leave(at: number): void {
    if (at === this.#at) this.#at = (at + 1) % this.count
  }
}

/** No connection can be made to this place, or it takes no writes. */
export class UnusableHost extends Error {
  readonly place: string

  constructor(place: string, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'UnusableHost'
    this.place = place
  }
}

/**
 * Rejects if the server takes no writes: after a failover, the address may still lead to a standby. Acknowledged
 * commits of the session are flushed, whatever the database or the role says; `remote_apply` waits for more. Through a
 * pooler, each transaction sets that itself.
 */
async function prepare(client: Client, isPooled: boolean): Promise<void> {
  const flush = isPooled
    ? 'NULL'
    : `CASE current_setting('synchronous_commit')
       WHEN 'remote_apply' THEN NULL ELSE set_config('synchronous_commit', 'on', false) END`
  const { rows } = await client.query<{ read_only: string }>(
    `SELECT current_setting('transaction_read_only') AS read_only, ${flush}`,
  )
  if (rows[0]?.read_only === 'on')
    throw new OperatorError('PostgreSQL takes no writes: it is a standby, or default_transaction_read_only is on.')
}

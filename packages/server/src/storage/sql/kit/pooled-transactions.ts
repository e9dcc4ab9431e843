import { type ClientBase, type Connection, type Pool, Query, type QueryConfig, type QueryResult } from 'pg'

/** Milliseconds; 0: none. */
export type TransactionTimeouts = Readonly<
  Record<'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout', number>
>

/** Acknowledged commits are flushed, whatever the session or the role says; `remote_apply` waits for more. */
const FLUSH = `CASE current_setting('synchronous_commit')
  WHEN 'remote_apply' THEN NULL ELSE set_config('synchronous_commit', 'on', true) END`

/** Commits a transaction that may have any session. */
export const FLUSHED_COMMIT = `SELECT ${FLUSH}; COMMIT`

interface WithCallback extends QueryConfig<unknown[]> {
  /** The extended protocol, also without values. */
  readonly queryMode: 'extended'
  readonly callback: (error: Error | null, results: readonly QueryResult[]) => void
}

/**
 * Transactions through a pooler that gives each of them any session, such as PgBouncer with `pool_mode = transaction`.
 * Each brings its settings, in messages that are sent anyway, and leaves the session as it was. Each checks that the
 * server takes writes: the pooler may have gone to a standby since the connection to it was made.
 */
export class PooledTransactions {
  readonly #begin: string
  readonly #before: string

  constructor(timeouts: TransactionTimeouts) {
    const settings = Object.entries(timeouts)
    // SET and SHOW take no snapshot: the first statement takes a fresh one.
    const setLocal = settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`).join('; ')
    this.#begin = `${setLocal}; SHOW transaction_read_only`
    const set = settings.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')
    this.#before = `SELECT current_setting('transaction_read_only') AS transaction_read_only, ${set}, ${FLUSH}`
  }

  async begin(client: ClientBase, isolation: string): Promise<void> {
    const results: unknown = await client.query(`BEGIN ISOLATION LEVEL ${isolation}; ${this.#begin}`)
    refuseReadOnly((results as readonly QueryResult[]).at(-1))
  }

  async commit(client: ClientBase): Promise<void> {
    await client.query(FLUSHED_COMMIT)
  }

  /**
   * Runs one statement that is its transaction. The settings are sent before it and both have one end (`Sync`): this
   * makes them one transaction.
   */
  async alone(client: ClientBase, query: QueryConfig<unknown[]>): Promise<QueryResult> {
    const results = await new Promise<readonly QueryResult[]>((resolve, reject) => {
      const callback: WithCallback['callback'] = (error, of) => (error === null ? resolve(of) : reject(error))
      const config: WithCallback = { ...query, queryMode: 'extended', callback }
      client.query(this.#afterSettings(new Query(config)))
    })
    refuseReadOnly(results[0])
    return results[1] as QueryResult
  }

  /** `alone`, on a connection that is used again unless this rejects, as `query` of the pool. */
  async read(pool: Pool, query: QueryConfig<unknown[]>): Promise<QueryResult> {
    const client = await pool.connect()
    let isUsable = false
    try {
      const result = await this.alone(client, query)
      isUsable = true
      return result
    } finally {
      client.release(!isUsable)
    }
  }

  #afterSettings(query: Query): Query {
    const { submit } = query
    query.submit = (connection: Connection) => {
      // One segment, as the driver sends a statement.
      connection.stream.cork()
      connection.parse({ name: '', text: this.#before, types: [] }, true)
      connection.bind({}, true)
      connection.describe({ type: 'P', name: '' }, true)
      connection.execute({}, true)
      const failure = submit.call(query, connection)
      connection.stream.uncork()
      return failure
    }
    return query
  }
}

function refuseReadOnly(result: QueryResult | undefined): void {
  if (result?.rows[0]?.transaction_read_only !== 'off') throw new Error('PostgreSQL takes no writes')
}

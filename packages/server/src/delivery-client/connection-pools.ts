import { type Dispatcher, Pool } from 'undici'
import { ConnectError } from './connect-error.ts'
import { guardedConnector, type GuardedConnectorOptions } from './guarded-connector.ts'

/** An answer with more bytes of headers is invalid. */
const HEADER_BYTES = 32 * 1024
/** Shorter than servers commonly keep an idle connection. A receiver's announced time applies, up to the longest. */
const IDLE_MS = 4000
const IDLE_LONGEST_MS = 30_000
/** Open connections without a request, of all origins. */
const MOST_IDLE = 256
const MOST_ORIGINS = 2048

/**
 * One undici pool of kept connections for each origin. Bounds the idle connections by closing the pool that was used
 * least recently; the caller bounds the requests. The address of a connection was checked when it was made.
 */
export class ConnectionPools {
  readonly #options: Pool.Options
  /** The least recently used first. */
  readonly #pools = new Map<string, Pool>()
  #open = 0
  #isDispatching = false
  #isNew = false

  constructor(options: GuardedConnectorOptions) {
    const connect = guardedConnector(options)
    this.#options = {
      connect: (target, callback) => {
        // undici connects within `dispatch`. Later it reconnects only for a request that was aborted, or whose kept
        // connection was closed before it was sent.
        if (!this.#isDispatching) return callback(new ConnectError('connection_failed', 'it was closed'), null)
        this.#isNew = true
        connect(target, callback)
      },
      allowH2: false,
      maxHeaderSize: HEADER_BYTES,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_LONGEST_MS,
      // The sender limits the time of the whole exchange.
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }

  /** Open connections. */
  get size(): number {
    return [...this.#pools.values()].reduce((sum, { stats }) => sum + stats.connected, 0)
  }

  /** @param requests how many are under way, of all origins */
  take(origin: string, requests: number): Pool {
    const pool = this.#pools.get(origin) ?? this.#newPool(origin)
    this.#pools.delete(origin)
    this.#pools.set(origin, pool)
    if (this.#open - requests > MOST_IDLE || this.#pools.size > MOST_ORIGINS) {
      const [oldest] = this.#pools
      if (oldest !== undefined && oldest[1] !== pool) this.drop(...oldest)
    }
    return pool
  }

  /** @returns whether the request goes over a connection that was made before */
  dispatch(pool: Pool, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#isNew = false
    this.#isDispatching = true
    pool.dispatch(request, handler)
    this.#isDispatching = false
    return !this.#isNew
  }

  /** Closes the idle connections of the pool, and the others after their requests. */
  drop(origin: string, pool: Pool): void {
    if (this.#pools.get(origin) === pool) this.#pools.delete(origin)
    void pool.close()
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }

  #newPool(origin: string): Pool {
    return new Pool(origin, this.#options).on('connect', () => this.#open++).on('disconnect', () => this.#open--)
  }
}

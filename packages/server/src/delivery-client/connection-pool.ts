import { Connection } from './connection.ts'
import type { GuardedConnectDependencies } from './guarded-connect.ts'

/** Kept open without a request, of all origins together. */
const MOST_IDLE = 256

/**
 * Connections by origin. How many are busy is up to whoever sends; idle ones end by themselves after some seconds, and their origin is forgotten with the last of them.
 * The address of a connection was judged when it was made: it leads to where it led then.
 */
export class ConnectionPool {
  readonly #dependencies: GuardedConnectDependencies
  readonly #all = new Set<Connection>()
  /** The longest idle first. */
  readonly #idle = new Set<Connection>()
  readonly #idleByOrigin = new Map<string, Connection[]>()

  constructor(dependencies: GuardedConnectDependencies) {
    this.#dependencies = dependencies
  }

  get size(): number {
    return this.#all.size
  }

  /** The one that was used last, or a new one. */
  take(url: URL, options: { readonly isNew: boolean }): Connection {
    while (!options.isNew) {
      const connection = this.#idleByOrigin.get(url.origin)?.at(-1)
      if (connection === undefined) break
      this.#removeIdle(connection)
      if (connection.isOpen) return connection
      this.#drop(connection)
    }
    const connection = new Connection(url, this.#dependencies, (gone) => this.#drop(gone))
    this.#all.add(connection)
    return connection
  }

  giveBack(connection: Connection): void {
    if (!connection.isOpen || !this.#all.has(connection)) return this.#drop(connection)
    connection.isUsed = true
    this.#idle.add(connection)
    const ofOrigin = this.#idleByOrigin.get(connection.origin)
    if (ofOrigin === undefined) this.#idleByOrigin.set(connection.origin, [connection])
    else ofOrigin.push(connection)
    const [oldest] = this.#idle
    if (oldest !== undefined && this.#idle.size > MOST_IDLE) this.#drop(oldest)
  }

  discard(connection: Connection): void {
    this.#drop(connection)
  }

  async close(): Promise<void> {
    const all = [...this.#all]
    this.#all.clear()
    this.#idle.clear()
    this.#idleByOrigin.clear()
    await Promise.all(all.map((connection) => connection.destroy()))
  }

  #drop(connection: Connection): void {
    this.#removeIdle(connection)
    if (this.#all.delete(connection)) void connection.destroy()
  }

  #removeIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const left = this.#idleByOrigin.get(connection.origin)?.filter((other) => other !== connection) ?? []
    if (left.length > 0) this.#idleByOrigin.set(connection.origin, left)
    else this.#idleByOrigin.delete(connection.origin)
  }
}

import type { SqlDatabase } from './sql-database.ts'

interface RememberedReadsOptions<Value> {
  /** How much of `most` a value takes. Default: 1. */
  readonly weightOf?: (value: Value) => number
  /** If the sum of weights would exceed this, all values are evicted. */
  readonly most: number
}

/** The database that holds the values. */
type VersionedDatabase = Pick<SqlDatabase<unknown>, 'version'>

/**
 * A cache of values of control tables, valid until another process writes or until `forget`. The version of the
 * database is checked before each use. The store that owns the tables MUST call `forget` after each of its own writes,
 * also after one that failed: it may have been committed. A read during which a value changed is not cached.
 */
export class RememberedReads<Key, Value> {
  readonly #database: VersionedDatabase
  readonly #weightOf: (value: Value) => number
  readonly #most: number
  readonly #values = new Map<Key, Value>()
  #weight = 0
  #version: unknown
  /** Counts evictions. */
  #generation = 0

  constructor(database: VersionedDatabase, { weightOf = () => 1, most }: RememberedReadsOptions<Value>) {
    this.#database = database
    this.#weightOf = weightOf
    this.#most = most
  }

  /** The value of `key`, read with `read` if it is not cached. Undefined, for a missing value, is not cached. */
  async get<Found extends Value | undefined>(key: Key, read: () => Promise<Found>): Promise<Value | Found> {
    await this.#followVersion()
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const generation = this.#generation
    const value = await read()
    if (value !== undefined && generation === this.#generation) this.#keep(key, value)
    return value
  }

  /**
   * The values of these keys. Those not cached are read with one call of `read`; keys without a value are left out.
   */
  async getMany(
    keys: readonly Key[],
    read: (missing: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  ): Promise<ReadonlyMap<Key, Value>> {
    await this.#followVersion()
    const found = new Map<Key, Value>()
    const missing = new Set<Key>()
    for (const key of keys) {
      const known = this.#values.get(key)
      if (known === undefined) missing.add(key)
      else found.set(key, known)
    }
    if (missing.size === 0) return found
    const generation = this.#generation
    for (const [key, value] of await read([...missing])) {
      found.set(key, value)
      if (generation === this.#generation) this.#keep(key, value)
    }
    return found
  }

  forget(key: Key): void {
    this.#generation++
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#weight -= this.#weightOf(value)
    this.#values.delete(key)
  }

  forgetAll(): void {
    this.#generation++
    this.#values.clear()
    this.#weight = 0
  }

  async #followVersion(): Promise<void> {
    const version = await this.#database.version()
    if (version === this.#version) return
    this.forgetAll()
    this.#version = version
  }

  #keep(key: Key, value: Value): void {
    // Two reads of the same key may overlap.
    if (this.#values.has(key)) return
    const weight = this.#weightOf(value)
    if (this.#weight + weight > this.#most) this.forgetAll()
    this.#values.set(key, value)
    this.#weight += weight
  }
}

export interface RememberedReadsOptions<Value> {
  /** `SqlDatabase.version` of the database that the values are read from. */
  readonly version: () => Promise<unknown>
  /** What a value counts against `most`. */
  readonly weightOf: (value: Value) => number
  /** When the weights would exceed this, everything is forgotten: what is in use is read again. */
  readonly most: number
}

/**
 * Values read from control tables, kept until another process writes or until `forget`. The version of the database is
 * checked before each use. The store that owns the tables MUST forget what it changes after each of its own writes,
 * also after one that failed: it may have been committed all the same. A read that a change overtook is not kept.
 */
export class RememberedReads<Key, Value> {
  readonly #options: RememberedReadsOptions<Value>
  readonly #values = new Map<Key, Value>()
  #weight = 0
  #version: unknown
  /** Counts what was forgotten. */
  #generation = 0

  constructor(options: RememberedReadsOptions<Value>) {
    this.#options = options
  }

  /** The value of `key`, read with `read` when it is not known. Undefined, for what does not exist, is not kept. */
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
   * The values of these keys. Those not known are read with one call of `read`; keys it gives no value are left out.
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
    this.#weight -= this.#options.weightOf(value)
    this.#values.delete(key)
  }

  forgetAll(): void {
    this.#generation++
    this.#values.clear()
    this.#weight = 0
  }

  async #followVersion(): Promise<void> {
    const version = await this.#options.version()
    if (version === this.#version) return
    this.forgetAll()
    this.#version = version
  }

  #keep(key: Key, value: Value): void {
    // Two reads of one key may end one after the other.
    if (this.#values.has(key)) return
    const weight = this.#options.weightOf(value)
    if (this.#weight + weight > this.#options.most) this.forgetAll()
    this.#values.set(key, value)
    this.#weight += weight
  }
}

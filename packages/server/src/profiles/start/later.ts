/** A part that others are handed before it can be made: each needs the other, but not yet while they are made. */
export class Later<T> {
  #made: { readonly part: T } | null = null

  /** Throws if the part is not made yet. */
  get part(): T {
    if (this.#made === null) throw new Error('a part of the service was used before it was made')
    return this.#made.part
  }

  make(part: T): T {
    this.#made = { part }
    return part
  }
}

/**
 * Callers of one moment share a call. One runs at a time; callers share the next, never one that has begun: it may have
 * read before what the caller knows of.
 */
export class SharedCalls<T> {
  readonly #call: () => Promise<T>
  #next: Promise<T> | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(call: () => Promise<T>) {
    this.#call = call
  }

  /** Resolves and rejects as the call that begins after this. */
  next(): Promise<T> {
    if (this.#next === null) {
      this.#next = this.#last.then(() => {
        this.#next = null
        return this.#call()
      })
      this.#last = this.#next.catch(() => undefined)
    }
    return this.#next
  }

  /** Resolves when the calls so far have ended, however. */
  async ended(): Promise<void> {
    await this.#last
  }
}

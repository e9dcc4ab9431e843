import type { Timers } from '../lib/time/timers.ts'

/**
 * A number that is too expensive or too unreliable to be read on each access: it is read at intervals. A read that
 * fails is reported and leaves the last number.
 */
export class Sampled {
  readonly #read: () => Promise<number>
  readonly #onError: (error: unknown) => void
  #value = NaN
  #reading: Promise<void> | null = null
  #cancel: (() => void) | null = null

  constructor(read: () => Promise<number>, onError: (error: unknown) => void) {
    this.#read = read
    this.#onError = onError
  }

  /** NaN until the first read has succeeded. */
  get value(): number {
    return this.#value
  }

  /** Reads at once and then every `intervalMs`, never twice at the same time. */
  start(timers: Timers, intervalMs: number): void {
    this.#sample()
    this.#cancel = timers.every(intervalMs, () => this.#sample())
  }

  /** Resolves when no read is in progress. */
  async stop(): Promise<void> {
    this.#cancel?.()
    await this.#reading
  }

  #sample(): void {
    this.#reading ??= this.#read()
      .then((value) => {
        this.#value = value
      }, this.#onError)
      .finally(() => {
        this.#reading = null
      })
  }
}

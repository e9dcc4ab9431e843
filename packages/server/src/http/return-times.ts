import type { Timers } from '../lib/timers.ts'

/** Refused bodies that may come again in one second. Refusing one costs some tenths of a millisecond. */
const RETURNS_PER_SECOND = 200
/** No client is sent away for longer, seconds. */
const LONGEST_SECONDS = 10

/**
 * Says when clients that were refused for lack of room shall come again: so many in each of the next seconds. All told to come after one
 * second, a thousand of them would keep the service busy with refusing them.
 */
export class ReturnTimes {
  readonly #timers: Pick<Timers, 'after'>
  /** Clients that were sent away and are still expected. */
  #expected = 0

  constructor(timers: Pick<Timers, 'after'>) {
    this.#timers = timers
  }

  /** For one more client, in seconds: 1 to 10. */
  next(): number {
    if (this.#expected === 0) this.#tick()
    const seconds = 1 + Math.floor(this.#expected / RETURNS_PER_SECOND)
    this.#expected = Math.min(this.#expected + 1, RETURNS_PER_SECOND * LONGEST_SECONDS)
    return Math.min(seconds, LONGEST_SECONDS)
  }

  #tick(): void {
    this.#timers.after(1000, () => {
      this.#expected = Math.max(0, this.#expected - RETURNS_PER_SECOND)
      if (this.#expected > 0) this.#tick()
    })
  }
}

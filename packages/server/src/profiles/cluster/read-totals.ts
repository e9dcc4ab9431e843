import type { Timers } from '../../lib/time/timers.ts'

/** Counts reads of a server, and their time. */
export class ReadTotals {
  count = 0
  failures = 0
  ms = 0
  readonly #timers: Pick<Timers, 'now'>

  constructor(timers: Pick<Timers, 'now'>) {
    this.#timers = timers
  }

  readonly around = async <T>(read: () => Promise<T>): Promise<T> => {
    const startedAt = this.#timers.now()
    this.count++
    try {
      return await read()
    } catch (error) {
      this.failures++
      throw error
    } finally {
      this.ms += this.#timers.now() - startedAt
    }
  }
}

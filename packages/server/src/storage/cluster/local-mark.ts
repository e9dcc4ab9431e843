import type { Timers } from '../../lib/time/timers.ts'

/** A version that grows, and those who wait for it. */
export class LocalMark {
  readonly #timers: Timers
  #value: number
  #waiting = new Set<() => void>()

  constructor(value: number, timers: Timers) {
    this.#value = value
    this.#timers = timers
  }

  get value(): number {
    return this.#value
  }

  raise(value: number): void {
    this.#value = value
    this.wake()
  }

  /** Ends all waits, so that their callers check again. */
  wake(): void {
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const end of waiting) end()
  }

  /** Resolves at the next `raise` or `wake`, at the latest after `mostMs`. */
  change(mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(end)
        cancel()
        resolve()
      }
      const cancel = this.#timers.after(Math.max(0, mostMs), end)
      this.#waiting.add(end)
    })
  }
}

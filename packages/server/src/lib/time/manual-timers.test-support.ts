import type { Clock } from './clock.ts'
import type { Timers } from './timers.ts'

interface Entry {
  at: number
  readonly everyMs: number | null
  readonly run: () => void
}

/** A clock and timers whose time passes only by `advance`. */
export class ManualTimers implements Timers, Clock {
  #now = 0
  readonly #entries = new Set<Entry>()

  now(): number {
    return this.#now
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#add({ at: this.#now + delayMs, everyMs: null, run })
  }

  every(intervalMs: number, run: () => void): () => void {
    return this.#add({ at: this.#now + intervalMs, everyMs: intervalMs, run })
  }

  /** The number of pending timers: ended work must leave none. */
  get pending(): number {
    return this.#entries.size
  }

  /** When the next timer runs; null if none is pending. */
  get nextAt(): number | null {
    let next: number | null = null
    for (const { at } of this.#entries) if (next === null || at < next) next = at
    return next
  }

  advance(byMs: number): void {
    const until = this.#now + byMs
    for (;;) {
      let due: Entry | undefined
      for (const entry of this.#entries) if (entry.at <= until && (due === undefined || entry.at < due.at)) due = entry
      if (due === undefined) break
      this.#now = Math.max(this.#now, due.at)
      if (due.everyMs === null) this.#entries.delete(due)
      else due.at += due.everyMs
      due.run()
    }
    this.#now = until
  }

  #add(entry: Entry): () => void {
    this.#entries.add(entry)
    return () => {
      this.#entries.delete(entry)
    }
  }
}

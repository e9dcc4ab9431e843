import { Listeners } from '../../lib/listeners.ts'

/** Traces committed since the list was read. */
export interface Arrived {
  readonly count: number
  /** There may be more than the count. */
  readonly uncertain: boolean
}

const NONE: Arrived = { count: 0, uncertain: false }
/** Minimum time between notifications. */
const TELL_EVERY_MS = 300

/** Counts committed traces without storing them. */
export class Arrivals {
  readonly #after: (delayMs: number, run: () => void) => void
  readonly #listeners = new Listeners()
  #arrived = NONE
  #shown = NONE
  #telling = false

  constructor(after: (delayMs: number, run: () => void) => void) {
    this.#after = after
  }

  add(): void {
    this.#arrived = { ...this.#arrived, count: this.#arrived.count + 1 }
    this.#tellSoon()
  }

  /** Some may have been missed. */
  lose(): void {
    this.#arrived = { ...this.#arrived, uncertain: true }
    this.#tellSoon()
  }

  /** Resets the count and returns it, to be restored (`restore`) if the traces could not be shown. */
  clear(): Arrived {
    const before = this.#arrived
    this.#arrived = NONE
    this.#tell()
    return before
  }

  restore({ count, uncertain }: Arrived): void {
    this.#arrived = { count: this.#arrived.count + count, uncertain: this.#arrived.uncertain || uncertain }
    this.#tellSoon()
  }

  /** The count as last notified. */
  readonly shown = (): Arrived => this.#shown

  readonly subscribe = this.#listeners.subscribe

  #tellSoon(): void {
    if (this.#telling) return
    this.#telling = true
    this.#after(TELL_EVERY_MS, () => {
      this.#telling = false
      this.#tell()
    })
  }

  #tell(): void {
    if (this.#shown === this.#arrived) return
    this.#shown = this.#arrived
    this.#listeners.tell()
  }
}

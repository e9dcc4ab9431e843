/** The slowest allowed pace: the service waits at most `waitMs` for each `bytes`. */
export interface Pace {
  readonly bytes: number
  readonly waitMs: number
}

/** How much longer the service waits for one client. Only time in which it waits for nothing else counts. */
export class Patience {
  readonly #pace: Pace
  #leftMs: number

  constructor(pace: Pace) {
    this.#pace = pace
    this.#leftMs = pace.waitMs
  }

  get leftMs(): number {
    return this.#leftMs
  }

  /** Each byte adds its share of `waitMs`, which is also the maximum. */
  moved(bytes: number): void {
    const { bytes: each, waitMs } = this.#pace
    this.#leftMs = Math.min(waitMs, this.#leftMs + (bytes / each) * waitMs)
  }

  waited(ms: number): void {
    this.#leftMs = Math.max(0, this.#leftMs - ms)
  }
}

/** How slow a client may be: it may keep the service waiting this long for each so many bytes. */
export interface Pace {
  readonly bytes: number
  readonly waitMs: number
}

/** How much longer one client may keep the service waiting. Only time in which nothing but the client is waited for counts. */
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

  /** Each byte earns its share of `waitMs`, which is also the most that can be left. */
  moved(bytes: number): void {
    const { bytes: each, waitMs } = this.#pace
    this.#leftMs = Math.min(waitMs, this.#leftMs + (bytes / each) * waitMs)
  }

  waited(ms: number): void {
    this.#leftMs = Math.max(0, this.#leftMs - ms)
  }
}

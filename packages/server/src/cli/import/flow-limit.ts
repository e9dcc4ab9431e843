/**
 * Bounds what is in flight: at most `maxCount` pieces and `maxBytes` in total, or one larger piece alone. For one
 * consumer that awaits `take` before it calls it again.
 */
export class FlowLimit {
  readonly #maxCount: number
  readonly #maxBytes: number
  #count = 0
  #bytes = 0
  #wake: (() => void) | null = null

  constructor(maxCount: number, maxBytes: number) {
    this.#maxCount = maxCount
    this.#maxBytes = maxBytes
  }

  /** Resolves when there is capacity for the piece, which is then taken. */
  async take(bytes: number): Promise<void> {
    while (this.#count > 0 && (this.#count >= this.#maxCount || this.#bytes + bytes > this.#maxBytes)) {
      await this.#released()
    }
    this.#count += 1
    this.#bytes += bytes
  }

  release(bytes: number): void {
    this.#count -= 1
    this.#bytes -= bytes
    this.#wake?.()
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    while (this.#count > 0) await this.#released()
  }

  async #released(): Promise<void> {
    await new Promise<void>((wake) => (this.#wake = wake))
    this.#wake = null
  }
}

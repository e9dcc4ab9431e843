/** A part of a gate's bytes. Letting go of it more than once does nothing. */
export interface HeldBytes {
  /** Lets go of all but this many. */
  keep(bytes: number): void
  release(): void
}

/**
 * Bounds the bytes that answers hold in memory while their readers take them, however slow these are: who would go beyond the limit waits for
 * others to let go, in the order of asking. One that asks for more than the whole limit gets it when nobody else holds anything.
 */
export class ByteGate {
  readonly #limitBytes: number
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = []
  #used = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  async acquire(bytes: number): Promise<HeldBytes> {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) {
      await new Promise<void>((enter) => this.#waiting.push({ bytes, enter }))
    } else {
      this.#used += bytes
    }
    let held = bytes
    const keep = (kept: number) => {
      const freed = Math.max(0, held - kept)
      held -= freed
      this.#used -= freed
      this.#letIn()
    }
    return { keep, release: () => keep(0) }
  }

  #fits(bytes: number): boolean {
    return this.#used === 0 || this.#used + bytes <= this.#limitBytes
  }

  /** What it takes is taken for them here, so that nobody slips in between. */
  #letIn(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift()
      this.#used += next.bytes
      next.enter()
    }
  }
}

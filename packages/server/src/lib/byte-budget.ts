/**
 * How many bytes all requests together may hold in memory at once. Whoever takes MUST release the same amount when it lets go of the bytes,
 * however its work ends.
 */
export class ByteBudget {
  readonly limitBytes: number
  #used = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /** Takes all of it or nothing. */
  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.limitBytes) return false
    this.#used += bytes
    return true
  }

  release(bytes: number): void {
    this.#used -= bytes
    if (this.#used < 0) throw new Error('more bytes were released than were taken')
  }
}

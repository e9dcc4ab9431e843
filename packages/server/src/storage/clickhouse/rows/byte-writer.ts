/**
 * Writes text and bytes into one growing, reused buffer. The rows of a commit are some hundred kilobytes, and new
 * buffers of that size would trigger garbage collection several times a second.
 */
export class ByteWriter {
  #buffer: Buffer
  #length = 0

  constructor(initialBytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes)
  }

  /** Starts over. What `written` returned before will be overwritten. */
  reset(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(KEPT_BYTES)
    this.#length = 0
  }

  /** Bytes written since the last reset. */
  get length(): number {
    return this.#length
  }

  /** Removes all but the first `length` bytes. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length)
  }

  /** Any text, as UTF-8. */
  text(value: string): void {
    this.#reserve(value.length * 3)
    this.#length += this.#buffer.write(value, this.#length, 'utf8')
  }

  /** Text that is known to be ASCII. */
  ascii(value: string): void {
    this.#reserve(value.length)
    this.#length += this.#buffer.write(value, this.#length, 'latin1')
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length)
    this.#buffer.set(value, this.#length)
    this.#length += value.length
  }

  /** The bytes since the last reset, not copied. */
  written(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

/** A buffer that grew for one large commit is not retained. */
const KEPT_BYTES = 8 * 1024 * 1024

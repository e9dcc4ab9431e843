/** Grows a buffer of text and bytes. Meant to be filled, taken and thrown away. */
export class ByteWriter {
  #buffer: Buffer
  #length = 0

  constructor(initialBytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafe(initialBytes)
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

  /** What was written; the writer must not be used afterwards. */
  take(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  #reserve(more: number): void {
    const needed = this.#length + more
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

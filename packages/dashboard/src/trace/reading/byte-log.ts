const FIRST_SIZE = 1 << 20

/** A growing byte array in one piece, so that any range can be read again. */
export class ByteLog {
  #bytes = new Uint8Array(FIRST_SIZE)
  #length = 0

  get length(): number {
    return this.#length
  }

  append(more: Uint8Array): void {
    if (this.#length + more.length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(more, this.#length)
    this.#length += more.length
  }

  /** As UTF-8. */
  text(start: number, end: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(start, end))
  }
}

/** Reads a source piece by piece, as much as requested at a time. */
export class ChunkReader {
  readonly #iterator: AsyncIterator<Buffer>
  #front: Buffer[] = []
  #ended = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#iterator = source[Symbol.asyncIterator]()
  }

  /** Whether the source has ended; may have to wait for the next chunk. */
  async ended(): Promise<boolean> {
    while (this.#front.length === 0 && !this.#ended) await this.#pull()
    return this.#front.length === 0
  }

  /** The next bytes, at most this many, fewer only when the source ends. */
  async *take(bytes: number): AsyncGenerator<Buffer> {
    let left = bytes
    while (left > 0 && !(await this.ended())) {
      const chunk = this.#front.shift() ?? Buffer.alloc(0)
      if (chunk.length > left) this.#front.unshift(chunk.subarray(left))
      yield chunk.subarray(0, left)
      left -= Math.min(left, chunk.length)
    }
  }

  /** Puts bytes back, to be read first. */
  unread(chunks: readonly Buffer[]): void {
    this.#front = [...chunks, ...this.#front]
  }

  /** Notifies a source that has not ended that its consumer has stopped. */
  async close(): Promise<void> {
    if (!this.#ended) await this.#iterator.return?.()
    this.#ended = true
  }

  async #pull(): Promise<void> {
    try {
      const next = await this.#iterator.next()
      if (next.done === true) this.#ended = true
      else if (next.value.length > 0) this.#front.push(next.value)
    } catch (error) {
      this.#ended = true
      throw error
    }
  }
}

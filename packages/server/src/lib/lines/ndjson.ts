/**
 * One physical line that is not blank; `number` counts from 1. `bytes` has no line end. It may share memory with the
 * chunk it came in, unless it fills its ArrayBuffer: then the memory belongs to the line alone.
 */
export type SplitLine = WholeLine | { readonly kind: 'too_large'; readonly number: number }

export interface WholeLine {
  readonly kind: 'line'
  readonly number: number
  readonly bytes: Buffer
}

/**
 * Splits a stream of chunks into physical lines that end in LF or CRLF. Blank lines (only spaces and tabs) are counted
 * and skipped. A line longer than the limit is reported once, as soon as it exceeds the limit, and dropped through its
 * line end.
 *
 * Memory: at most about twice the limit. Lines may share memory with the chunk they came in: copy what outlives the
 * chunk.
 */
export interface LineSplitter {
  /** Splits lazily: read the result to its end before you call any other method. */
  push(chunk: Buffer): Iterable<SplitLine>
  /** The last line if it has no line end. Call it only if the input is complete: a cut-off line must not count. */
  end(): SplitLine[]
  /** The number of the first line that was neither reported nor skipped as blank. */
  readonly nextLine: number
  /** Bytes in memory of the incomplete line. */
  readonly heldBytes: number
}

/** `maxLineBytes` is the longest allowed line, bytes without its line end. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  return new BufferingLineSplitter(maxLineBytes)
}

class BufferingLineSplitter implements LineSplitter {
  readonly #maxLineBytes: number
  #line = 1
  /**
   * The `#heldLength` bytes of a line that began in an earlier chunk. Grows by doubling, so that tiny chunks take
   * linear time.
   */
  #held = EMPTY
  #heldLength = 0
  #dropping = false

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes
  }

  get nextLine(): number {
    return this.#dropping ? this.#line + 1 : this.#line
  }

  get heldBytes(): number {
    return this.#held.length
  }

  *push(chunk: Buffer): Generator<SplitLine, void, undefined> {
    let start = this.#skipBlankLines(chunk, 0)
    for (let end = chunk.indexOf(LINE_FEED, start); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      const line = this.#finishLine(chunk.subarray(start, end))
      if (line !== null) yield line
      start = this.#skipBlankLines(chunk, end + 1)
    }
    const line = this.#hold(chunk.subarray(start))
    if (line !== null) yield line
  }

  end(): SplitLine[] {
    const line = this.#finishLine(EMPTY)
    return line === null ? [] : [line]
  }

  /** The start of the first line from `start` on that is not blank. A chunk of only line ends takes linear time. */
  #skipBlankLines(chunk: Buffer, start: number): number {
    if (this.#heldLength > 0 || this.#dropping) return start
    let begin = start
    for (let at = start; at < chunk.length && at - begin <= this.#maxLineBytes; at++) {
      const byte = chunk[at]
      if (byte === LINE_FEED) {
        this.#line++
        begin = at + 1
      } else if (!isBlankByte(byte)) break
    }
    return begin
  }

  #finishLine(rest: Buffer): SplitLine | null {
    const number = this.#line++
    if (this.#dropping) {
      this.#dropping = false
      return null
    }
    let bytes = this.#heldLength === 0 ? rest : this.#takeHeld(rest)
    if (bytes[bytes.length - 1] === CARRIAGE_RETURN) bytes = bytes.subarray(0, -1)
    if (bytes.length > this.#maxLineBytes) return { kind: 'too_large', number }
    return isBlank(bytes) ? null : { kind: 'line', number, bytes }
  }

  #hold(rest: Buffer): SplitLine | null {
    if (this.#dropping || rest.length === 0) return null
    const length = this.#heldLength + rest.length
    // One byte over the limit may be the CR of a CRLF.
    if (length > this.#maxLineBytes + 1 || (length > this.#maxLineBytes && rest[rest.length - 1] !== CARRIAGE_RETURN)) {
      this.#held = EMPTY
      this.#heldLength = 0
      this.#dropping = true
      return { kind: 'too_large', number: this.#line }
    }
    if (length > this.#held.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.max(length, Math.min(2 * this.#held.length, this.#maxLineBytes + 1), 1024),
      )
      this.#held.copy(grown, 0, 0, this.#heldLength)
      this.#held = grown
    }
    rest.copy(this.#held, this.#heldLength)
    this.#heldLength = length
    return null
  }

  /** The held bytes and `rest` as one line. The line owns the buffer, which is never written again. */
  #takeHeld(rest: Buffer): Buffer {
    const held = this.#held.subarray(0, this.#heldLength)
    this.#held = EMPTY
    this.#heldLength = 0
    return rest.length === 0 ? held : Buffer.concat([held, rest])
  }
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const EMPTY = Buffer.alloc(0)

function isBlank(bytes: Buffer): boolean {
  // By index: an iterator takes several times as long, 50 ms for a line of 4 MB.
  for (let at = 0; at < bytes.length; at++) if (!isBlankByte(bytes[at])) return false
  return true
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === CARRIAGE_RETURN
}

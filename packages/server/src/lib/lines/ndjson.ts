/**
 * One physical line that is not blank, `number` counted from 1. `bytes` is without the line end. It may share memory with
 * the chunk it came in, unless it fills its ArrayBuffer: then that is the line's alone.
 */
export type SplitLine = WholeLine | { readonly kind: 'too_large'; readonly number: number }

export interface WholeLine {
  readonly kind: 'line'
  readonly number: number
  readonly bytes: Buffer
}

/**
 * Cuts a byte stream, however it is chunked, into physical lines that end in LF or CRLF. Blank lines (nothing but blanks and tabs) are
 * counted and skipped. A line longer than the limit is reported once, as soon as that is seen, and dropped through its line end.
 *
 * Memory: at most about twice the limit. Lines may share memory with the chunk they came in: copy what outlives it.
 */
export interface LineSplitter {
  /** Cuts as far as it is read. Read it to its end before the next call of any method. */
  push(chunk: Buffer): Iterable<SplitLine>
  /** The last line when it has no line end. Call it only when the input ended properly: a cut-off line must not count. */
  end(): SplitLine[]
  /** Number of the first line that has neither been reported nor skipped as blank. */
  readonly nextLine: number
  /** Bytes kept of a line that has not ended. */
  readonly heldBytes: number
}

/** `maxLineBytes` is the longest line taken, bytes without its line end. */
export function createLineSplitter(maxLineBytes: number): LineSplitter {
  return new BufferingLineSplitter(maxLineBytes)
}

class BufferingLineSplitter implements LineSplitter {
  readonly #maxLineBytes: number
  #line = 1
  /** Bytes of a line that began in an earlier chunk, `#heldLength` of them; grows by doubling so that tiny chunks stay linear. */
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

  /** Where the first line behind `start` begins that is not blank. A chunk may hold nothing but line ends: they cost no more than their bytes. */
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
    // One byte more than allowed may still be the CR of a CRLF.
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

  /** The held bytes and `rest` as one line. The buffer is given away with the line, never written again. */
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
  // By index: iterating costs several times as much, 50 ms for a line of 4 MB.
  for (let at = 0; at < bytes.length; at++) if (!isBlankByte(bytes[at])) return false
  return true
}

function isBlankByte(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === CARRIAGE_RETURN
}

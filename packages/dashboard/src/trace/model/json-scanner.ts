const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** Byte offsets of an array element in the response: its start, and the end after its last byte. */
export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * Finds the objects in one array of a JSON object (`{…, "steps": [{…}, {…}], …}`) that arrives in pieces, without
 * parsing it, so that elements can be read before the rest arrives. Pieces may be split anywhere, also within
 * characters. Expects valid JSON; parsing the spans detects errors.
 */
export class JsonScanner {
  /** The span of the array with its brackets; `end` is 0 until it ends, both are 0 until it starts. */
  readonly array = { start: 0, end: 0 }
  /** Whether the whole object has been read. */
  done = false
  readonly #key: string
  #at = 0
  #depth = 0
  #inString = false
  #escaped = false
  /** The last string at depth 1, which is the name of a following value; truncated to the length needed. */
  #lastString = ''
  #inArray = false
  #start = 0

  constructor(key: string) {
    this.#key = key
  }

  /** Takes the next bytes and returns the elements that end in them. */
  push(bytes: Uint8Array): Span[] {
    const found: Span[] = []
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] as number
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false
        else if (byte === BACKSLASH) this.#escaped = true
        else if (byte === QUOTE) this.#inString = false
        if (this.#inString && this.#depth === 1 && this.#lastString.length <= this.#key.length) {
          this.#lastString += String.fromCharCode(byte)
        }
        continue
      }
      if (byte === QUOTE) {
        this.#inString = true
        if (this.#depth === 1) this.#lastString = ''
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (this.#depth === 1 && byte === OPEN_ARRAY && this.#lastString === this.#key) {
          this.#inArray = true
          this.array.start = this.#at + index
        }
        if (this.#depth === 2 && this.#inArray) this.#start = this.#at + index
        this.#depth += 1
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth -= 1
        const end = this.#at + index + 1
        if (this.#depth === 2 && this.#inArray) found.push({ start: this.#start, end })
        else if (this.#depth === 1 && this.#inArray) {
          this.#inArray = false
          this.array.end = end
        } else if (this.#depth === 0) this.done = true
      }
    }
    this.#at += bytes.length
    return found
  }
}

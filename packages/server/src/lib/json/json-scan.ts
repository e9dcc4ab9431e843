/**
 * A forward scanner over the raw bytes of a JSON text. It finds the byte ranges of members and elements and checks the
 * nesting depth, reads each byte once, and builds no strings or values.
 *
 * It is lenient: it accepts every text that JSON.parse accepts (except for depth) and many others, so its ranges are
 * valid only if JSON.parse accepts the same bytes. JSON.parse refuses every text that the scanner calls malformed. Time
 * is linear and memory constant for any input.
 *
 * Use: `enterObject()` then `nextMember()` until false, or `enterArray()` then `nextElement()` until false. After
 * `nextMember()` or `nextElement()` returned true, the scanner is at the value, which MUST be consumed by `skipValue()`
 * or by entering it and continuing until false. Once `failure` is set, every method returns false at once.
 */
export class JsonScanner {
  /** Offset of the next byte to read. */
  position = 0
  failure: 'too_deep' | 'malformed' | null = null
  /** The range of the last member's key, including quotes. */
  keyStart = 0
  keyEnd = 0
  /** Members directly inside the object that the last `skipValue()` skipped; 0 if it was not an object. */
  skippedMembers = 0
  readonly bytes: Buffer
  readonly maxDepth: number
  #depth = 0

  /** `maxDepth` is the maximum nesting of objects and arrays; the outermost one counts as 1. */
  constructor(bytes: Buffer, maxDepth: number) {
    this.bytes = bytes
    this.maxDepth = maxDepth
    this.#skipWhitespace()
  }

  /** Enters the value if it is an object; returns whether it is. */
  enterObject(): boolean {
    return this.#enter(OPEN_BRACE)
  }

  /** Enters the value if it is an array; returns whether it is. */
  enterArray(): boolean {
    return this.#enter(OPEN_BRACKET)
  }

  /** Moves to the value of the next member; false at the end of the object. */
  nextMember(): boolean {
    if (!this.#next(CLOSE_BRACE)) return false
    const bytes = this.bytes
    if (bytes[this.position] !== QUOTE) return this.#fail('malformed')
    this.keyStart = this.position
    this.keyEnd = endOfString(bytes, this.position)
    this.position = this.keyEnd
    this.#skipWhitespace()
    if (bytes[this.position] !== COLON) return this.#fail('malformed')
    this.position++
    this.#skipWhitespace()
    return true
  }

  /** Moves to the next element; false at the end of the array. */
  nextElement(): boolean {
    return this.#next(CLOSE_BRACKET)
  }

  /** Whether the last member's key is `name`, which MUST be ASCII. Escapes in the key are decoded. */
  keyIs(name: string): boolean {
    const { bytes, keyStart, keyEnd } = this
    if (keyEnd - keyStart === name.length + 2) {
      for (let i = 0; i < name.length; i++) if (bytes[keyStart + 1 + i] !== name.charCodeAt(i)) return false
      return true
    }
    // Every escape is longer than its ASCII character, at most six times as long.
    if (keyEnd - keyStart < name.length + 2 || keyEnd - keyStart > 6 * name.length + 2) return false
    const key = bytes.subarray(keyStart, keyEnd)
    if (!key.includes(BACKSLASH)) return false
    try {
      return JSON.parse(key.toString()) === name
    } catch {
      return this.#fail('malformed')
    }
  }

  skipValue(): boolean {
    if (this.failure !== null) return false
    const { bytes } = this
    const start = this.position
    // How deep the containers in this value may nest.
    const depthLeft = this.maxDepth - this.#depth
    let open = 0
    let members = 0
    let at = start
    scan: for (; at < bytes.length; at++) {
      switch (bytes[at]) {
        case QUOTE:
          at = endOfString(bytes, at) - 1
          if (open === 0) {
            at++
            break scan
          }
          break
        case OPEN_BRACE:
        case OPEN_BRACKET:
          if (++open > depthLeft) {
            this.position = at
            return this.#fail('too_deep')
          }
          break
        case CLOSE_BRACE:
        case CLOSE_BRACKET:
          if (open === 0) break scan
          if (--open === 0) {
            at++
            break scan
          }
          break
        case COLON:
          if (open === 1) members++
          break
        case COMMA:
        case SPACE:
        case TAB:
        case LINE_FEED:
        case CARRIAGE_RETURN:
          if (open === 0) break scan
          break
        default:
      }
    }
    this.position = at
    this.skippedMembers = members
    if (at === start || open > 0) return this.#fail('malformed')
    return true
  }

  #enter(bracket: number): boolean {
    if (this.failure !== null || this.bytes[this.position] !== bracket) return false
    if (this.#depth === this.maxDepth) return this.#fail('too_deep')
    this.#depth++
    this.position++
    return true
  }

  #next(closing: number): boolean {
    if (this.failure !== null) return false
    this.#skipWhitespace()
    let byte = this.bytes[this.position]
    if (byte === closing) {
      this.position++
      this.#depth--
      return false
    }
    if (byte === COMMA) {
      this.position++
      this.#skipWhitespace()
      byte = this.bytes[this.position]
    }
    if (byte === undefined || byte === closing) return this.#fail('malformed')
    return true
  }

  #skipWhitespace(): void {
    const { bytes } = this
    let at = this.position
    for (;;) {
      const byte = bytes[at]
      if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break
      at++
    }
    this.position = at
  }

  #fail(failure: 'too_deep' | 'malformed'): false {
    this.failure = failure
    return false
  }
}

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/**
 * The offset after the closing quote of the string that starts at `start`; the length of the input if there is none.
 */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at + 1
    if (byte === BACKSLASH) at++
  }
  return bytes.length
}

import { atOnce } from '../flow/in-slices.ts'

export interface JsonError {
  /** In bytes. */
  readonly offset: number
  /** Line and column count from 1; the column is in bytes. */
  readonly line: number
  readonly column: number
  readonly reason: string
}

/**
 * Where and why a text of valid UTF-8 is not JSON; null exactly if JSON.parse accepts it. The engine's own messages
 * quote the body and often name no position. Iterative and linear; for use after JSON.parse has refused the text.
 */
export function findJsonError(bytes: Buffer): JsonError | null {
  return atOnce(searchJsonError(bytes))
}

/** The same. Yields about every 16 KB, except within a longer string or longer white space. */
export function* searchJsonError(bytes: Buffer): Generator<void, JsonError | null> {
  const found = yield* new Recogniser(bytes).run()
  if (found === null) return null
  let line = 1
  let lineStart = 0
  let pauseAt = SLICE_BYTES
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < found.offset; at = bytes.indexOf(0x0a, at + 1)) {
    line++
    lineStart = at + 1
    if (at < pauseAt) continue
    pauseAt = at + SLICE_BYTES
    yield
  }
  return { ...found, line, column: found.offset - lineStart + 1 }
}

/** Takes about one millisecond. */
const SLICE_BYTES = 16 * 1024

type Found = { offset: number; reason: string }

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const LITERALS = ['true', 'false', 'null']

class Recogniser {
  readonly #bytes: Buffer
  /** One character per byte: every character in the grammar of JSON is ASCII. */
  readonly #text: string
  /** Closing brackets that are still missing, innermost last. */
  readonly #missing: ('}' | ']')[] = []
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#text = bytes.toString('latin1')
  }

  *run(): Generator<void, Found | null> {
    if (this.#bytes.indexOf(BYTE_ORDER_MARK) === 0)
      return this.#error('a byte order mark is not allowed before the JSON text')
    for (let pauseAt = SLICE_BYTES; ;) {
      const error = this.#value()
      if (error !== null) return error
      const after = this.#afterValue()
      if (after === 'end') return null
      if (after !== 'more') return after
      if (this.#at < pauseAt) continue
      pauseAt = this.#at + SLICE_BYTES
      yield
    }
  }

  /** Reads through the next scalar or empty container; enters other containers on the way. */
  #value(): Found | null {
    for (;;) {
      this.#skipWhitespace()
      const character = this.#text[this.#at]
      if (character === '{') {
        this.#at++
        this.#skipWhitespace()
        this.#missing.push('}')
        if (this.#text[this.#at] === '}') return null
        const error = this.#key()
        if (error !== null) return error
        continue
      }
      if (character === '[') {
        this.#at++
        this.#skipWhitespace()
        this.#missing.push(']')
        if (this.#text[this.#at] === ']') return null
        continue
      }
      if (character === '"') return this.#string()
      if (character === undefined) return this.#error('the text ends where a value is expected')
      if (character === '-' || (character >= '0' && character <= '9')) return this.#number()
      const literal = LITERALS.find((word) => this.#text.startsWith(word, this.#at))
      if (literal === undefined) return this.#error('a value is expected')
      this.#at += literal.length
      return null
    }
  }

  #key(): Found | null {
    this.#skipWhitespace()
    if (this.#text[this.#at] !== '"') return this.#error('a key in double quotes is expected')
    const error = this.#string()
    if (error !== null) return error
    this.#skipWhitespace()
    if (this.#text[this.#at] !== ':') return this.#error("':' is expected")
    this.#at++
    return null
  }

  #afterValue(): Found | 'more' | 'end' {
    for (;;) {
      this.#skipWhitespace()
      const closing = this.#missing.at(-1)
      const character = this.#text[this.#at]
      if (closing === undefined) {
        return character === undefined ? 'end' : this.#error('only white space may follow the value')
      }
      if (character === closing) {
        this.#missing.pop()
        this.#at++
        continue
      }
      if (character !== ',') {
        return this.#error(
          character === undefined
            ? `the text ends where ',' or '${closing}' is expected`
            : `',' or '${closing}' is expected`,
        )
      }
      this.#at++
      return (closing === '}' ? this.#key() : null) ?? 'more'
    }
  }

  #string(): Found | null {
    const text = this.#text
    for (let at = this.#at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) {
        this.#at = at + 1
        return null
      }
      if (code < 0x20) return this.#error('a control character in a string must be escaped', at)
      if (code !== 0x5c) continue
      const escape = text[at + 1]
      if (escape === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6))) at += 5
      else if (escape !== undefined && '"\\/bfnrt'.includes(escape)) at++
      else if (at + 1 < text.length) return this.#error('there is no such escape in JSON', at)
    }
    return this.#error('the text ends inside a string', text.length)
  }

  #number(): Found | null {
    NUMBER.lastIndex = this.#at
    if (!NUMBER.test(this.#text)) return this.#error('a number is expected')
    this.#at = NUMBER.lastIndex
    return null
  }

  #skipWhitespace(): void {
    const text = this.#text
    let at = this.#at
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
    }
    this.#at = at
  }

  #error(reason: string, offset = this.#at): Found {
    return { offset, reason }
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** A number by the text it was sent as: `JSON.stringify` writes it so again. */
export interface RawNumber {
  readonly rawJSON: string
}

/** Of a proposal that browsers are newer with than others; without it numbers are as exact as JavaScript has them. */
interface SourceText {
  readonly source?: string
}
interface RawJson {
  rawJSON?(text: string): RawNumber
  isRawJSON?(value: unknown): boolean
}
const { rawJSON, isRawJSON } = JSON as RawJson

/** 16 digits or more, an exponent or what would get one, zeros at the end, minus zero. */
const MAY_BE_REWRITTEN = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|\.0{6}|-0/

/**
 * Whether a text may hold numbers that JavaScript prints otherwise. Most hold none, and are read several times as fast
 * without a look at each number.
 */
export function mayBeRewritten(text: string): boolean {
  return rawJSON !== undefined && MAY_BE_REWRITTEN.test(text)
}

/**
 * As `JSON.parse`, but a number that JavaScript would print in other digits than were sent (beyond 2⁵³, `1.0`, `1e3`)
 * stands as a RawNumber. Throws SyntaxError.
 */
export function parseExactJson(text: string): unknown {
  if (rawJSON === undefined || !mayBeRewritten(text)) return JSON.parse(text)
  const keep = (_key: string, value: unknown, context?: SourceText) => {
    const source = context?.source
    return typeof value === 'number' && source !== undefined && source !== String(value) ? rawJSON(source) : value
  }
  try {
    return JSON.parse(text, keep)
  } catch (error) {
    // What is nested too deep for a function at every level is not too deep for the plain way.
    if (error instanceof RangeError) return JSON.parse(text)
    throw error
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON?.(value) === true
}

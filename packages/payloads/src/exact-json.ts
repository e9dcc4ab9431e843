/** A number as its source text; `JSON.stringify` writes it unchanged. */
export interface RawNumber {
  readonly rawJSON: string
}

/** From a proposal that not all browsers support. Without it numbers have JavaScript's precision. */
interface SourceText {
  readonly source?: string
}
interface RawJson {
  rawJSON?(text: string): RawNumber
  isRawJSON?(value: unknown): boolean
}
const { rawJSON, isRawJSON } = JSON as RawJson

/** 16 or more digits, an exponent or a number that would get one, trailing zeros, minus zero. */
const MAY_BE_REWRITTEN = /[\d.]{16}|\d[eE]|\.\d*0(?!\d)|\.0{6}|-0/

/**
 * Whether a text may hold numbers that JavaScript would rewrite. Most hold none and parse several times as fast without
 * a reviver.
 */
export function mayBeRewritten(text: string): boolean {
  return rawJSON !== undefined && MAY_BE_REWRITTEN.test(text)
}

/**
 * Like `JSON.parse`, but a number that JavaScript would print with other digits (beyond 2⁵³, `1.0`, `1e3`) becomes a
 * RawNumber. Throws SyntaxError.
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
    // A reviver recurses and overflows on deep values; plain parsing does not.
    if (error instanceof RangeError) return JSON.parse(text)
    throw error
  }
}

export function isRawNumber(value: unknown): value is RawNumber {
  return isRawJSON?.(value) === true
}

/** The object or array that a text encodes; undefined for other text. */
export function parseStructured(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return parseExactJson(text) as object
  } catch {
    return undefined
  }
}

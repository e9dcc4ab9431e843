import { timeOfId } from '../../../lib/ids/ids.ts'

/**
 * SQL literals. Values enter statements only here: bound parameters would put all reads of the process in one queue
 * (see docs/design/decisions). Any text becomes one string literal of ClickHouse that reads back as the same text.
 */
const SPECIAL = /['\\\0\b\f\r\n\t]/g

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "\\'",
  '\\': '\\\\',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
  '\r': '\\r',
  '\n': '\\n',
  '\t': '\\t',
}

export function text(value: string): string {
  // A lone surrogate has no UTF-8 form. It becomes U+FFFD here, as it would when the statement is encoded.
  return `'${value.toWellFormed().replace(SPECIAL, (character) => ESCAPES[character] as string)}'`
}

/** An integer within ±(2^53 - 1). */
export function integer(value: number): string {
  if (!Number.isSafeInteger(value)) throw new TypeError(`not a safe integer: ${value}`)
  return String(value)
}

/** A non-empty list for `IN` or an array function. */
export function texts(values: readonly string[]): string {
  if (values.length === 0) throw new TypeError('a list of literals must not be empty')
  return values.map(text).join(', ')
}

/**
 * Up to 100,000 ids in one literal, one on each line: for a list of literals the engine would build a tree that takes
 * many times the memory.
 */
export function isAmong(column: string, ids: readonly string[]): string {
  return `${column} IN (SELECT line FROM format(LineAsString, ${text(ids.join('\n'))}))`
}

/** A non-empty list of integers. */
export function integers(values: readonly number[]): string {
  if (values.length === 0) throw new TypeError('a list of literals must not be empty')
  return values.map(integer).join(', ')
}

/** A non-empty list of finite numbers, each a Float64. */
export function doubles(values: readonly number[]): string {
  if (values.length === 0) throw new TypeError('a list of literals must not be empty')
  return values.map(double).join(', ')
}

function double(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError(`not a finite number: ${value}`)
  return value.toExponential()
}

/**
 * Bounds on a creation time from bounds on ids, which are at most `idLeadMs` ahead of it. They let the engine skip
 * whole partitions.
 */
export function createdWithin(column: string, lowestId: string, highestId: string, idLeadMs: number): string {
  return `${column} >= ${instant(timeOfId(lowestId) - idLeadMs)} AND ${column} <= ${instant(timeOfId(highestId))}`
}

/** The latest time in a DateTime64(3) of the engine. */
const LAST_INSTANT_MS = Date.UTC(2299, 11, 31)

/** As a DateTime64(3) of the engine. Fractions of a millisecond are rounded up, and times out of range are clamped. */
export function instant(timeMs: number): string {
  return `fromUnixTimestamp64Milli(${integer(Math.ceil(Math.min(Math.max(timeMs, 0), LAST_INSTANT_MS)))}, 'UTC')`
}

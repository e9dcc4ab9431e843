/** Milliseconds since 1970 UTC, or why a text in the format of RFC 3339 is not a valid time. */
export type TimestampReading = number | 'not_on_calendar' | 'out_of_range'

/** The start of the year 10000. */
const END_OF_TIME = 253_402_300_800_000

/**
 * Reads an RFC 3339 time: any number of fraction digits, truncated to milliseconds; `Z` or an offset; a leap second
 * counts as the second after it. `text` MUST match the contract's pattern for times. Refuses days that are not on the
 * calendar and times outside 1970 to 9999 UTC.
 */
export function readTimestamp(text: string): TimestampReading {
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 7)
  const day = digits(text, 8, 10)
  if (day > 28 && day > daysInMonth(year, month)) return 'not_on_calendar'
  let millisecond = Date.UTC(year, month - 1, day, digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19))
  let at = 19
  if (text[at] === '.') {
    let unit = 100
    for (at++; isDigit(text.charCodeAt(at)); at++) {
      millisecond += unit * (text.charCodeAt(at) - 48)
      unit = unit === 100 ? 10 : unit === 10 ? 1 : 0
    }
  }
  const sign = text[at]
  if (sign === '+' || sign === '-') {
    const offsetMinutes = 60 * digits(text, at + 1, at + 3) + digits(text, at + 4, at + 6)
    millisecond -= (sign === '+' ? 60_000 : -60_000) * offsetMinutes
  }
  return millisecond >= 0 && millisecond < END_OF_TIME ? millisecond : 'out_of_range'
}

/** Converts a valid time; null if it is absent. */
export function toMillisecond(time: string | undefined): number | null {
  if (time === undefined) return null
  const reading = readTimestamp(time)
  if (typeof reading !== 'number') throw new Error(`a time that is ${reading} passed validation`)
  return reading
}

function digits(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) value = 10 * value + text.charCodeAt(at) - 48
  return value
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

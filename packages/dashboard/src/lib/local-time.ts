/** Formats milliseconds since 1970 for a field: local 24-hour time, to the second. */
export function printLocalTime(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

const DAY = /(\d{4})-(\d\d)-(\d\d)/
const CLOCK = /(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?/
const TIME = new RegExp(`^${DAY.source}(?:[ tT]+${CLOCK.source})?\\s*([zZ]|[+-]\\d\\d:\\d\\d)?$`)

/**
 * Parses what `printLocalTime` prints, also without seconds or time of day, or a time with a zone (RFC 3339). Returns
 * milliseconds since 1970, or NaN.
 */
export function parseLocalTime(text: string): number {
  const found = TIME.exec(text.trim())
  if (found === null) return NaN
  const [, year = '', month = '', day = '', hour = '0', minute = '00', second = '00', zone = ''] = found
  // Date turns nonexistent dates, such as February 30th, into others.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return NaN
  return Date.parse(`${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}${zone.toUpperCase()}`)
}

/** The position of each part of a printed time, and how it is changed. */
const PARTS = [
  { from: 0, to: 4, move: (date: Date, by: number) => date.setFullYear(date.getFullYear() + by) },
  { from: 5, to: 7, move: (date: Date, by: number) => date.setMonth(date.getMonth() + by) },
  { from: 8, to: 10, move: (date: Date, by: number) => date.setDate(date.getDate() + by) },
  { from: 11, to: 13, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 3_600_000) },
  { from: 14, to: 16, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 60_000) },
  { from: 17, to: 19, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 1000) },
] as const

/**
 * Changes the part at the caret by so many units. Returns the time and the part's position; null if the text is no
 * time.
 */
export function stepLocalTime(text: string, caret: number, by: number) {
  const time = parseLocalTime(text)
  if (Number.isNaN(time)) return null
  const part = PARTS.find(({ to }) => caret <= to) ?? PARTS[5]
  const date = new Date(time)
  part.move(date, by)
  return { text: printLocalTime(date.getTime()), from: part.from, to: part.to }
}

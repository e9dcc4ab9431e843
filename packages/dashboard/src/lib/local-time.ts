/** Milliseconds since 1970 as a field shows it: the reader's own time of 24 hours, to the second. */
export function printLocalTime(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

const DAY = /(\d{4})-(\d\d)-(\d\d)/
const CLOCK = /(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?/
const TIME = new RegExp(`^${DAY.source}(?:[ tT]+${CLOCK.source})?\\s*([zZ]|[+-]\\d\\d:\\d\\d)?$`)

/**
 * Milliseconds since 1970 of what `printLocalTime` prints, without seconds or time of day too, or of a time with its
 * zone (RFC 3339); NaN for anything else.
 */
export function parseLocalTime(text: string): number {
  const found = TIME.exec(text.trim())
  if (found === null) return NaN
  const [, year = '', month = '', day = '', hour = '0', minute = '00', second = '00', zone = ''] = found
  // Times that there are not, such as February 30th, are others to Date.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return NaN
  return Date.parse(`${year}-${month}-${day}T${hour.padStart(2, '0')}:${minute}:${second}${zone.toUpperCase()}`)
}

/** Where the parts of a printed time stand, and how each is moved on. */
const PARTS = [
  { from: 0, to: 4, move: (date: Date, by: number) => date.setFullYear(date.getFullYear() + by) },
  { from: 5, to: 7, move: (date: Date, by: number) => date.setMonth(date.getMonth() + by) },
  { from: 8, to: 10, move: (date: Date, by: number) => date.setDate(date.getDate() + by) },
  { from: 11, to: 13, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 3_600_000) },
  { from: 14, to: 16, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 60_000) },
  { from: 17, to: 19, move: (date: Date, by: number) => date.setTime(date.getTime() + by * 1000) },
] as const

/** The time with the part at the caret moved by so many, and where that part stands; null when the text is no time. */
export function stepLocalTime(text: string, caret: number, by: number) {
  const time = parseLocalTime(text)
  if (Number.isNaN(time)) return null
  const part = PARTS.find(({ to }) => caret <= to) ?? PARTS[5]
  const date = new Date(time)
  part.move(date, by)
  return { text: printLocalTime(date.getTime()), from: part.from, to: part.to }
}

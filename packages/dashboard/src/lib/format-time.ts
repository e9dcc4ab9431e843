const EXACT = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
  timeZoneName: 'short',
})
const ON_CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const IN_YEAR = { month: 'short', day: 'numeric' } as const
/** In the reader's time zone: "14:03", "14:03:12", "Nov 21", "Nov 21, 14:03", "Nov 21, 14:03:12". */
export const MINUTE_FORMAT = new Intl.DateTimeFormat(undefined, ON_CLOCK)
export const SECOND_FORMAT = new Intl.DateTimeFormat(undefined, { ...ON_CLOCK, second: '2-digit' })
export const DAY_FORMAT = new Intl.DateTimeFormat(undefined, IN_YEAR)
export const MOMENT_FORMAT = new Intl.DateTimeFormat(undefined, { ...IN_YEAR, ...ON_CLOCK })
export const PLACE_FORMAT = new Intl.DateTimeFormat(undefined, { ...IN_YEAR, ...ON_CLOCK, second: '2-digit' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { ...IN_YEAR, year: 'numeric' })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY_MS = 24 * HOUR

/** To the millisecond, in the reader's time zone. */
export function formatExact(time: number): string {
  return EXACT.format(time)
}

/** "14:03:12", in the reader's time zone. */
export function formatClock(time: number): string {
  return SECOND_FORMAT.format(time)
}

/** "now", "12 s ago", "3 min ago", "5 h ago", "2 d ago", then the date. */
export function formatRelative(time: number, now: number): string {
  const age = now - time
  if (age < 5000) return 'now'
  if (age < MINUTE) return `${Math.floor(age / 1000)} s ago`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY_MS) return `${Math.floor(age / HOUR)} h ago`
  if (age < 7 * DAY_MS) return `${Math.floor(age / DAY_MS)} d ago`
  return age < 300 * DAY_MS ? DAY_FORMAT.format(time) : DAY_OF_YEAR.format(time)
}

/** "0.4 ms", "320 ms", "1.24 s", "3 min 5 s", "2 h 4 min". */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 1) return `${ms.toFixed(1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(2)} s`
  if (ms < MINUTE) return `${(ms / 1000).toFixed(1)} s`
  if (ms < HOUR) return pair(ms, MINUTE, 'min', 1000, 's')
  if (ms < DAY_MS) return pair(ms, HOUR, 'h', MINUTE, 'min')
  return pair(ms, DAY_MS, 'd', HOUR, 'h')
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const units = Math.floor(ms / large)
  const rest = Math.floor((ms - units * large) / small)
  return rest === 0 ? `${units} ${largeUnit}` : `${units} ${largeUnit} ${rest} ${smallUnit}`
}

/** A time in the future: "now", "in 12 s", "in 3 min", "in 2 h 4 min", "in 30 d"; in the past: "due". */
export function formatUntil(time: number, now: number): string {
  const left = time - now
  if (left < -2000) return 'due'
  if (left < 1000) return 'now'
  if (left < MINUTE) return `in ${Math.round(left / 1000)} s`
  if (left >= 2 * DAY_MS) return `in ${Math.floor(left / DAY_MS)} d`
  return `in ${formatDuration(Math.floor(left / MINUTE) * MINUTE)}`
}

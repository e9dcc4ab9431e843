/** A longer delay is ignored as a mistake. */
const LONGEST_MS = 366 * 24 * 3_600_000
/** The only date format that HTTP servers may send. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * The delay of a `Retry-After` header, seconds or a date, in milliseconds from `now`; null if it is malformed, in the
 * past or too long.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  const delayMs = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? Date.parse(text) - now : NaN
  return delayMs >= 0 && delayMs <= LONGEST_MS ? delayMs : null
}

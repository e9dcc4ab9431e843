/** Longer than this nobody means. */
const LONGEST_MS = 366 * 24 * 3_600_000
/** The one form of dates that HTTP has servers write. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** What a `Retry-After` header asks for, seconds or a date, in milliseconds from `now`; null when it is malformed, lies in the past or is absurd. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  const text = value?.trim() ?? ''
  const delayMs = /^\d{1,15}$/.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? Date.parse(text) - now : NaN
  return delayMs >= 0 && delayMs <= LONGEST_MS ? delayMs : null
}

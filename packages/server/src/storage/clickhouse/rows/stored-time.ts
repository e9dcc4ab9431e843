/** Stored in place of a time that is not known: no client's time is before 1970, and 0 is its first instant. */
export const NO_TIME = -1

/** Milliseconds since 1970 UTC, or null for the stored mark of no time. */
export function toTime(ms: number): number | null {
  return ms === NO_TIME ? null : ms
}

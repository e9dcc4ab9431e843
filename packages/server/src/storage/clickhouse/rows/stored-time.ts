/** Stored in place of a time that is not known: no client's time is before 1970, and 0 is its first instant. */
export const NO_TIME = -1

/** Milliseconds since 1970 UTC, or null for the stored mark of no time. */
export function toTime(ms: number): number | null {
  return ms === NO_TIME ? null : ms
}

/** The unit of the column `minute` of metric points: whole minutes since 1970 UTC. */
export const MINUTE_MS = 60_000

/** What that column holds, of a DateTime64(3). */
export function minuteOf(time: string): string {
  return `toUInt32(intDiv(toUnixTimestamp64Milli(${time}), ${MINUTE_MS}))`
}

/** The unit of the column `minute` of metric points: whole minutes since 1970 UTC. */
export const MINUTE_MS = 60_000

/** A time that is not known, in a column of milliseconds. */
export const UNKNOWN_TIME = -1

/** The value of that column for a DateTime64(3). */
export function minuteOf(time: string): string {
  return `toUInt32(intDiv(toUnixTimestamp64Milli(${time}), ${MINUTE_MS}))`
}

import { UsageError } from './command.ts'

const DURATION = /^(\d{1,6})([hdw])$/
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/
const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }
/** The latest time that a Date can hold. */
const MAX_TIME = 8.64e15

/**
 * `30d`, `12h` or `2w` from now, a day (its start, UTC) or a time with its zone, as milliseconds since 1970 UTC. Throws
 * UsageError for anything else.
 */
export function parseExpiry(text: string, now: number): number {
  const duration = DURATION.exec(text)
  if (duration !== null) {
    const time = now + Number(duration[1]) * UNIT_MS[duration[2] as keyof typeof UNIT_MS]
    if (time <= MAX_TIME) return time
  }
  const time = DAY.test(text) || TIME.test(text) ? Date.parse(text) : Number.NaN
  // Date.parse takes February 31st for a day in March.
  const isRealDay =
    !Number.isNaN(time) && new Date(`${text.slice(0, 10)}T00:00:00Z`).toISOString().startsWith(text.slice(0, 10))
  if (isRealDay) return time
  throw new UsageError(
    `--expires ${text}: give a time span like 30d, 12h or 2w, a day like 2030-12-31, or a time like 2030-12-31T18:00:00Z.`,
  )
}

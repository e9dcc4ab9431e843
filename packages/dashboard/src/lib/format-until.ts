import { formatDuration } from './format-time.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** A time in the future: "now", "in 12 s", "in 3 min", "in 2 h 4 min", "in 30 d"; in the past: "due". */
export function formatUntil(time: number, now: number): string {
  const left = time - now
  if (left < -2 * SECOND) return 'due'
  if (left < SECOND) return 'now'
  if (left < MINUTE) return `in ${Math.round(left / SECOND)} s`
  if (left >= 2 * DAY) return `in ${Math.floor(left / DAY)} d`
  return `in ${formatDuration(Math.floor(left / MINUTE) * MINUTE)}`
}

import { boundsOf, type TimeRange } from '../../lib/time-range.ts'

export interface ListedTimes {
  /** As the API takes them. */
  readonly start_time?: string
  readonly end_time?: string
}

/** The times whose rows are listed: those of the chosen bucket within the range, else all of the range. */
export function listedTimes(at: string | undefined, range: TimeRange, bucketMs: number, now: number): ListedTimes {
  const { from, to } = boundsOf(range, now)
  const iso = (time: number) => new Date(time).toISOString()
  if (at === undefined) {
    return { ...(from === null ? {} : { start_time: iso(from) }), ...(to === null ? {} : { end_time: iso(to) }) }
  }
  const begin = Date.parse(at)
  // A range between two times cuts its first and its last bucket.
  const start = range.kind === 'between' ? Math.max(begin, from ?? begin) : begin
  const end = Math.min(begin + bucketMs, to ?? Infinity)
  return { start_time: iso(start), end_time: iso(end) }
}

import { useMemo } from 'react'
import { bucketEnd } from '../lib/series-data.ts'
import { boundsOf, type TimeRange } from '../lib/time-range.ts'

export interface ListedTimes {
  /** As in the API. */
  readonly start_time: string
  readonly end_time: string
}

/** The time bounds of the list: the chosen bucket within the range, else the range; null for all times. */
export function listedTimes(
  at: string | undefined,
  range: TimeRange,
  bucketMs: number,
  now: number,
): ListedTimes | null {
  const { from, to } = boundsOf(range, now)
  const iso = (time: number) => new Date(time).toISOString()
  if (at === undefined) return from === null ? null : { start_time: iso(from), end_time: iso(to ?? now) }
  const begin = Date.parse(at)
  // A range between two times may cut its first and last bucket.
  const start = range.kind === 'between' ? Math.max(begin, from ?? begin) : begin
  return { start_time: iso(start), end_time: iso(Math.min(bucketEnd(begin, bucketMs), to ?? Infinity)) }
}

/** Like listedTimes, fixed when the bucket or the range is chosen, so that a list does not move with time. */
export function useListedTimes(at: string | undefined, range: TimeRange, bucketMs: number): ListedTimes | null {
  const rangeKey = JSON.stringify(range)
  const lengthMs = at === undefined ? 0 : bucketMs
  return useMemo(
    () => listedTimes(at, JSON.parse(rangeKey) as TimeRange, lengthMs, Date.now()),
    [at, rangeKey, lengthMs],
  )
}

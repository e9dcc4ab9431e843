import { useMemo } from 'react'
import type { TimeRange } from '../lib/time-range.ts'
import { type ListedTimes, listedTimes } from './point/point-bounds.ts'

/** Like listedTimes, fixed when the bucket or the range is chosen, so that a list does not move with time. */
export function useListedTimes(at: string | undefined, range: TimeRange, bucketMs: number): ListedTimes {
  const rangeKey = JSON.stringify(range)
  return useMemo(
    () => listedTimes(at, JSON.parse(rangeKey) as TimeRange, bucketMs, Date.now()),
    [at, rangeKey, bucketMs],
  )
}

import { useMemo } from 'react'
import type { TimeRange } from '../lib/time-range.ts'
import { type ListedTimes, listedTimes } from './point/point-bounds.ts'

/**
 * As listedTimes, from the moment on at which the bucket or the range was chosen: a list does not move on by itself.
 */
export function useListedTimes(at: string | undefined, range: TimeRange, bucketMs: number): ListedTimes {
  const rangeKey = JSON.stringify(range)
  return useMemo(
    () => listedTimes(at, JSON.parse(rangeKey) as TimeRange, bucketMs, Date.now()),
    [at, rangeKey, bucketMs],
  )
}

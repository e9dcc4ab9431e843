import { bucketEnd } from '../lib/series-data.ts'
import type { TimeRange } from '../lib/time-range.ts'

/** The times of a bucket of a chart, as in the address. A range between two times may cut its first and last bucket. */
export function bucketTimes(
  at: string,
  range: TimeRange,
  bucketMs: number,
): { readonly from: string; readonly to: string } {
  const start = Date.parse(at)
  const end = bucketEnd(start, bucketMs)
  const iso = (time: number) => new Date(time).toISOString()
  if (range.kind !== 'between') return { from: iso(start), to: iso(end) }
  return { from: iso(Math.max(start, Date.parse(range.from))), to: iso(Math.min(end, Date.parse(range.to))) }
}

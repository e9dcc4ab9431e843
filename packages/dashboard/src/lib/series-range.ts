import { type TimeRange, type TimeRangeSearch, toTimeRange } from './time-range.ts'

/** The range of a series. It has a start, so "all" becomes the longest range offered. */
export function toSeriesRange(search: TimeRangeSearch): TimeRange {
  const range = toTimeRange(search)
  return range.kind === 'all' ? { kind: 'last', range: '90d' } : range
}

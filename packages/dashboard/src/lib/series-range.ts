import { type TimeRange, type TimeRangeSearch, toTimeRange } from './time-range.ts'

/** The range of a series: it has a beginning, so that everything is the longest there is to choose. */
export function toSeriesRange(search: TimeRangeSearch): TimeRange {
  const range = toTimeRange(search, '24h')
  return range.kind === 'all' ? { kind: 'last', range: '90d' } : range
}

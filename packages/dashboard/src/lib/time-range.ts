import { bucketMsOf } from './series-data.ts'

/** The time range of a screen: up to now, between two times, or all. In the URL as `range`, or `from` and `to`. */
export type TimeRange =
  | { readonly kind: 'last'; readonly range: LastRange }
  | { readonly kind: 'between'; readonly from: string; readonly to: string }
  | { readonly kind: 'all' }

export const LAST_RANGES = {
  '15m': 15,
  '1h': 60,
  '6h': 360,
  '24h': 1440,
  '7d': 10_080,
  '30d': 43_200,
  '90d': 129_600,
} as const
export type LastRange = keyof typeof LAST_RANGES

export const RANGE_LABELS: Readonly<Record<LastRange, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
}

/** As in the URL. */
export interface TimeRangeSearch {
  readonly range?: LastRange | 'all'
  readonly from?: string
  readonly to?: string
}

/** Parses the range of a URL; drops invalid values. */
export function readTimeRangeSearch(raw: Readonly<Record<string, unknown>>): TimeRangeSearch {
  const { range, from, to } = raw
  if (typeof from === 'string' && typeof to === 'string' && Date.parse(from) < Date.parse(to)) return { from, to }
  if (range === 'all') return { range }
  if (typeof range === 'string' && Object.hasOwn(LAST_RANGES, range)) return { range: range as LastRange }
  return {}
}

/** The range of an address without one; lists that are cheap to read show all. */
export const DEFAULT_RANGE = '7d'

export function toTimeRange(
  { range, from, to }: TimeRangeSearch,
  otherwise: LastRange | 'all' = DEFAULT_RANGE,
): TimeRange {
  if (from !== undefined && to !== undefined) return { kind: 'between', from, to }
  const named = range ?? otherwise
  return named === 'all' ? { kind: 'all' } : { kind: 'last', range: named }
}

/** The range of a series. It has a start, so "all" becomes the longest range offered. */
export function toSeriesRange(search: TimeRangeSearch): TimeRange {
  const range = toTimeRange(search)
  return range.kind === 'all' ? { kind: 'last', range: '90d' } : range
}

export function toTimeRangeSearch(range: TimeRange): TimeRangeSearch {
  switch (range.kind) {
    case 'last':
      return { range: range.range }
    case 'between':
      return { from: range.from, to: range.to }
    case 'all':
      return { range: 'all' }
  }
}

/** Takes a range out of search parameters. */
export const NO_RANGE = { range: undefined, from: undefined, to: undefined } as const

/** Between two times, milliseconds since 1970. */
export function searchBetween(from: number, to: number) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

/** Milliseconds since 1970. `to` null: open end. `from` null: open start. */
export function boundsOf(range: TimeRange, now: number): { readonly from: number | null; readonly to: number | null } {
  switch (range.kind) {
    case 'last':
      return { from: now - LAST_RANGES[range.range] * 60_000, to: null }
    case 'between':
      return { from: Date.parse(range.from), to: Date.parse(range.to) }
    case 'all':
      return { from: null, to: null }
  }
}

const BUCKETS = ['5s', '10s', '30s', '1m', '5m', '10m', '30m', '1h', '3h', '6h', '12h', '1d', '1w']

/** The shortest bucket, as named by the API, that divides a span into at most `most` parts. */
export function bucketFor(spanMs: number, most: number): string {
  const found = BUCKETS.find((bucket) => spanMs / bucketMsOf(bucket) <= most)
  return found ?? `${Math.ceil(spanMs / bucketMsOf('1w') / most)}w`
}

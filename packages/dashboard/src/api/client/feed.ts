import type { TraceSeries } from '@spoor/contract/schemas/series'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { zoneOf } from '../../lib/series-data.ts'
import { boundsOf, bucketFor, type TimeRange } from '../../lib/time-range.ts'
import { pathOf, type QueryValue, request } from './request.ts'

/** What traces, and steps of them, must match. */
export interface Filters {
  readonly filters: Readonly<Record<string, QueryValue>>
  /** Required keys. A pair also requires that value. */
  readonly metadata: readonly (readonly [string] | readonly [string, string])[]
}

export interface FeedRequest extends Filters {
  readonly range: TimeRange
  /** Metrics whose latest values the rows have. */
  readonly metricValues?: readonly string[]
}

export interface FeedPage extends TraceFeed {
  /** The time bounds of the first request. Later pages use the same ones. */
  readonly bounds: FeedBounds
}

type FeedBounds = ReturnType<typeof toBounds>

export interface PageStart {
  readonly cursor: string
  readonly bounds: FeedBounds
}

export interface FeedHistogram {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly bucket: string
  readonly points: readonly Pick<TraceSeries['points'][number], 'at' | 'group' | 'count'>[]
}

/** The queries that a change of a trace or its scores makes out of date. */
export const TRACE_KEYS = [
  'feed',
  'feed-histogram',
  'trace-row',
  'divergence',
  'series',
  'series-groups',
  'metric-events',
].map((key) => [key])

const PAGE_ROWS = 50
/** Most pages that a list holds in memory. */
export const PAGES_MAX = 200
const BARS_MAX = 90
/** A histogram of less time shows nothing more. */
const MIN_SPAN_MS = 60_000

/**
 * The list of traces, page by page. It never becomes stale by itself, so it does not change while it is read. The
 * reader refreshes it (`refetchFeed`).
 */
export function feedQuery(feedRequest: FeedRequest) {
  return infiniteQueryOptions({
    queryKey: ['feed', feedRequest],
    initialPageParam: null as PageStart | null,
    queryFn: ({ pageParam, signal }) => fetchPage(feedRequest, pageParam, signal),
    getNextPageParam: ({ next_cursor, bounds }, pages) =>
      next_cursor === null || pages.length >= PAGES_MAX ? null : { cursor: next_cursor, bounds },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
}

/** Replaces all pages read so far by the current first page. */
export async function refetchFeed(feedRequest: FeedRequest) {
  return { pages: [await fetchPage(feedRequest, null)], pageParams: [null] }
}

export function fetchPage(feedRequest: FeedRequest, start: PageStart | null, signal?: AbortSignal): Promise<FeedPage> {
  const bounds = start?.bounds ?? toBounds(feedRequest.range)
  const { metricValues } = feedRequest
  const rest = { limit: PAGE_ROWS, cursor: start?.cursor, metric_values: metricValues }
  const path = feedPath('/v1/traces', feedRequest, { ...bounds, ...rest })
  return request<TraceFeed>(path, { signal }).then((page) => ({ ...page, bounds }))
}

/** The number of traces over the shown time, by status; null if there are none. */
export function feedHistogramQuery({ filters, metadata, range }: FeedRequest) {
  const { sort: _sort, order: _order, ...taken } = filters
  const feedRequest: FeedRequest = { filters: taken, metadata, range }
  return queryOptions({
    queryKey: ['feed-histogram', feedRequest],
    queryFn: ({ signal }) => fetchHistogram(feedRequest, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

async function fetchHistogram(feedRequest: FeedRequest, signal: AbortSignal): Promise<FeedHistogram | null> {
  const bounds = boundsOf(feedRequest.range, Date.now())
  const first = bounds.from ?? (await fetchOldest(feedRequest, signal))
  if (first === null) return null
  const to = bounds.to ?? Date.now()
  const from = bounds.from ?? Math.min(first, to - MIN_SPAN_MS)
  const bucket = bucketFor(to - from, BARS_MAX)
  const span = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString() }
  const buckets = { bucket, tz: zoneOf(bucket) }
  const path = feedPath('/v1/traces/series', feedRequest, { ...span, ...buckets, measure: 'count', group_by: 'status' })
  const { points } = await request<TraceSeries>(path, { signal })
  return { from, to, bucket, points }
}

async function fetchOldest(feedRequest: FeedRequest, signal: AbortSignal): Promise<number | null> {
  const path = feedPath('/v1/traces', feedRequest, { order: 'asc', limit: 1 })
  const oldest = (await request<{ traces: TraceRow[] }>(path, { signal })).traces[0]
  return oldest === undefined ? null : Date.parse(oldest.created_at)
}

/** As the API takes them. */
export function toBounds(range: TimeRange, now = Date.now()) {
  const { from, to } = boundsOf(range, now)
  const print = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return { start_time: print(from), end_time: print(to) }
}

/** Each metadata value follows its key: this is how the API tells pairs from bare keys. */
export function feedPath(path: string, { filters, metadata }: Filters, more: Record<string, QueryValue>): string {
  const url = pathOf(path, { ...filters, ...more })
  if (metadata.length === 0) return url
  const pairs = new URLSearchParams()
  for (const [key, value] of metadata) {
    pairs.append('meta_key', key)
    if (value !== undefined) pairs.append('meta_value', value)
  }
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.toString()}`
}

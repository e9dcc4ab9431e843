import type { TraceSeries } from '@spoor/contract/schemas/series'
import type { TraceFeed, TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { boundsOf, bucketFor, type TimeRange } from '../../lib/time-range.ts'
import { pathOf, type QueryValue, request } from './request.ts'

/** What is asked of the feed. */
export interface FeedRequest {
  readonly filters: Readonly<Record<string, QueryValue>>
  /** Keys, each with the value that it must have where there is a second text. */
  readonly metadata: readonly (readonly [string] | readonly [string, string])[]
  readonly range: TimeRange
}

export interface FeedPage extends TraceFeed {
  /** The bounds of time it was asked with: those of the pages behind it. */
  readonly bounds: FeedBounds
}

interface FeedBounds {
  readonly start_time: string | null
  readonly end_time: string | null
}

interface PageStart {
  readonly cursor: string
  readonly bounds: FeedBounds
}

export interface FeedHistogram {
  /** Milliseconds since 1970. */
  readonly from: number
  readonly to: number
  readonly bucketMs: number
  readonly points: TraceSeries['points']
}

const PAGE_ROWS = 50
/** Pages that a list keeps: what it holds in memory has an end, however far it is scrolled. */
export const PAGES_MAX = 200
const BARS_MAX = 90
/** A picture of less time shows nothing more. */
const LEAST_SPAN_MS = 60_000

/**
 * The feed page by page. It does not become stale by itself: a list that changes under the reader is worse than one
 * that says that it is old (`refreshFeed`).
 */
export function feedQuery(asked: FeedRequest) {
  return infiniteQueryOptions({
    queryKey: ['feed', asked],
    initialPageParam: null as PageStart | null,
    queryFn: ({ pageParam, signal }) => fetchPage(asked, pageParam, signal),
    getNextPageParam: ({ next_cursor, bounds }, pages) =>
      next_cursor === null || pages.length >= PAGES_MAX ? null : { cursor: next_cursor, bounds },
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
}

/** The first page as it is now, instead of all that had been read. */
export async function readFeedAnew(asked: FeedRequest) {
  return { pages: [await fetchPage(asked, null)], pageParams: [null] }
}

function fetchPage(asked: FeedRequest, start: PageStart | null, signal?: AbortSignal): Promise<FeedPage> {
  const bounds = start?.bounds ?? toBounds(asked.range)
  const path = feedPath('/v1/traces', asked, { ...bounds, limit: PAGE_ROWS, cursor: start?.cursor })
  return request<TraceFeed>(path, signal === undefined ? {} : { signal }).then((page) => ({ ...page, bounds }))
}

/** How many traces there were over the time that the feed shows, by status; null when there is none. */
export function feedHistogramQuery({ filters, metadata, range }: FeedRequest) {
  const { sort: _sort, order: _order, ...taken } = filters
  const asked: FeedRequest = { filters: taken, metadata, range }
  return queryOptions({
    queryKey: ['feed-histogram', asked],
    queryFn: ({ signal }) => fetchHistogram(asked, signal),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

async function fetchHistogram(asked: FeedRequest, signal: AbortSignal): Promise<FeedHistogram | null> {
  const bounds = boundsOf(asked.range, Date.now())
  const first = bounds.from ?? (await fetchOldest(asked, signal))
  if (first === null) return null
  const to = bounds.to ?? Date.now()
  const from = bounds.from ?? Math.min(first, to - LEAST_SPAN_MS)
  const bucket = bucketFor(to - from, BARS_MAX)
  const span = { start_time: new Date(from).toISOString(), end_time: new Date(to).toISOString(), bucket: bucket.name }
  const path = feedPath('/v1/traces/series', asked, { ...span, measure: 'count', group_by: 'status' })
  const { points } = await request<TraceSeries>(path, { signal })
  return { from, to, bucketMs: bucket.ms, points }
}

async function fetchOldest(asked: FeedRequest, signal: AbortSignal): Promise<number | null> {
  const path = feedPath('/v1/traces', asked, { order: 'asc', limit: 1 })
  const oldest = (await request<{ traces: TraceRow[] }>(path, { signal })).traces[0]
  return oldest === undefined ? null : Date.parse(oldest.created_at)
}

function toBounds(range: TimeRange): FeedBounds {
  const { from, to } = boundsOf(range, Date.now())
  return {
    start_time: from === null ? null : new Date(from).toISOString(),
    end_time: to === null ? null : new Date(to).toISOString(),
  }
}

/** Each value of metadata follows its key: that is how the API tells pairs from keys alone. */
export function feedPath(path: string, { filters, metadata }: FeedRequest, more: Record<string, QueryValue>): string {
  const url = pathOf(path, { ...filters, ...more })
  if (metadata.length === 0) return url
  const pairs = new URLSearchParams()
  for (const [key, value] of metadata) {
    pairs.append('meta_key', key)
    if (value !== undefined) pairs.append('meta_value', value)
  }
  return `${url}${url.includes('?') ? '&' : '?'}${pairs.toString()}`
}

import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** Matching traces, page by page. */
export function traceListQuery(filters: FeedQuery) {
  return infiniteQueryOptions({
    queryKey: ['trace-list', filters],
    queryFn: ({ pageParam, signal }) =>
      request<TraceFeed>('/v1/traces', { query: { limit: 50, ...filters, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

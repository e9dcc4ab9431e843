import type {
  TraceSessionDetail,
  TraceSessionList,
  TraceUser,
  TraceUserList,
} from '@spoor/contract/schemas/traces/trace-summary'
import type { StepPage } from '@spoor/contract/schemas/traces/step'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type FeedRequest, feedPath, type PageStart, toBounds } from './client/feed.ts'
import { pagesQuery, readQuery } from './client/queries.ts'
import { request } from './client/request.ts'

const PAGE_ROWS = 50

interface SummaryLists {
  readonly sessions: TraceSessionList
  readonly users: TraceUserList
}

/** Sessions or users with matching traces, page by page, newest activity first. */
export function summaryListQuery<Of extends keyof SummaryLists>(of: Of, feedRequest: FeedRequest) {
  return infiniteQueryOptions({
    queryKey: [of, feedRequest],
    initialPageParam: null as PageStart | null,
    queryFn: async ({ pageParam, signal }) => {
      const bounds = pageParam?.bounds ?? toBounds(feedRequest.range)
      const page = { ...bounds, limit: PAGE_ROWS, cursor: pageParam?.cursor }
      return { ...(await request<SummaryLists[Of]>(feedPath(`/v1/${of}`, feedRequest, page), { signal })), bounds }
    },
    getNextPageParam: ({ next_cursor, bounds }) => (next_cursor === null ? null : { cursor: next_cursor, bounds }),
    placeholderData: keepPreviousData,
  })
}

/** A session with its traces, oldest first, page by page. */
export const sessionQuery = (sessionId: string) =>
  pagesQuery<TraceSessionDetail>(['session', sessionId], `/v1/sessions/${encodeURIComponent(sessionId)}`, { limit: 20 })

/** What the matching traces of a user amount to; null without any. The request names the user. */
export function userQuery(feedRequest: FeedRequest) {
  return queryOptions({
    queryKey: ['user', feedRequest],
    queryFn: async ({ signal }): Promise<TraceUser | null> => {
      const path = feedPath('/v1/users', feedRequest, { ...toBounds(feedRequest.range), limit: 1 })
      return (await request<TraceUserList>(path, { signal })).users[0] ?? null
    },
  })
}

/** The first steps of a trace: enough for all but the longest. */
export const firstStepsQuery = (traceId: string) => ({
  ...readQuery<StepPage>(['first-steps', traceId], `/v1/traces/${traceId}/steps`, { limit: 500 }),
  staleTime: 60_000,
})

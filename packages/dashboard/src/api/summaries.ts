import type {
  TraceSessionDetail,
  TraceSessionList,
  TraceUser,
  TraceUserList,
} from '@spoor/contract/schemas/traces/trace-summary'
import type { StepPage } from '@spoor/contract/schemas/traces/step'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type FeedRequest, feedPath } from './client/feed.ts'
import { request } from './client/request.ts'
import { boundsOf } from '../lib/time-range.ts'

const PAGE_ROWS = 50

/** The time bounds of the first page, which later pages use too. */
interface PageStart {
  readonly cursor: string
  readonly bounds: ReturnType<typeof toBounds>
}

function toBounds({ range }: FeedRequest) {
  const { from, to } = boundsOf(range, Date.now())
  const print = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return { start_time: print(from), end_time: print(to) }
}

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
      const bounds = pageParam?.bounds ?? toBounds(feedRequest)
      const page = { ...bounds, limit: PAGE_ROWS, cursor: pageParam?.cursor }
      return { ...(await request<SummaryLists[Of]>(feedPath(`/v1/${of}`, feedRequest, page), { signal })), bounds }
    },
    getNextPageParam: ({ next_cursor, bounds }) => (next_cursor === null ? null : { cursor: next_cursor, bounds }),
    placeholderData: keepPreviousData,
  })
}

/** A session with its traces, oldest first, page by page. */
export function sessionQuery(sessionId: string) {
  return infiniteQueryOptions({
    queryKey: ['session', sessionId],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      request<TraceSessionDetail>(`/v1/sessions/${encodeURIComponent(sessionId)}`, {
        query: { limit: 20, cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** What the matching traces of a user amount to; null without any. The request names the user. */
export function userQuery(feedRequest: FeedRequest) {
  return queryOptions({
    queryKey: ['user', feedRequest],
    queryFn: async ({ signal }): Promise<TraceUser | null> => {
      const path = feedPath('/v1/users', feedRequest, { ...toBounds(feedRequest), limit: 1 })
      return (await request<TraceUserList>(path, { signal })).users[0] ?? null
    },
  })
}

/** The first steps of a trace: enough for all but the longest. */
export function firstStepsQuery(traceId: string) {
  return queryOptions({
    queryKey: ['first-steps', traceId],
    staleTime: 60_000,
    queryFn: ({ signal }) => request<StepPage>(`/v1/traces/${traceId}/steps`, { query: { limit: 500 }, signal }),
  })
}

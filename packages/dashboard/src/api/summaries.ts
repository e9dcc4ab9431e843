import type {
  TraceSessionDetail,
  TraceSessionList,
  TraceUser,
  TraceUserList,
} from '@spoor/contract/schemas/traces/trace-summary'
import type { StepList } from '@spoor/contract/schemas/traces/step-row'
import type { StepPage } from '@spoor/contract/schemas/traces/step'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type FeedRequest, feedPath, type PageStart, toBounds } from './client/feed.ts'
import { wholeMinute } from './client/first-rows.ts'
import { pagesQuery, readQuery } from './client/queries.ts'
import { request } from './client/request.ts'

const PAGE_ROWS = 50

interface Lists {
  readonly traces: TraceFeed
  readonly steps: StepList
  readonly sessions: TraceSessionList
  readonly users: TraceUserList
}

/** What matches the filters, page by page: sessions and users by newest activity, others in the requested order. */
export function listQuery<Of extends keyof Lists>(of: Of, feedRequest: FeedRequest) {
  return infiniteQueryOptions({
    queryKey: ['list', of, feedRequest],
    initialPageParam: null as PageStart | null,
    queryFn: async ({ pageParam, signal }) => {
      const bounds = pageParam?.bounds ?? toBounds(feedRequest.range, wholeMinute(Date.now()))
      const page = { ...bounds, limit: PAGE_ROWS, cursor: pageParam?.cursor }
      return { ...(await request<Lists[Of]>(feedPath(`/v1/${of}`, feedRequest, page), { signal })), bounds }
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
      const path = feedPath('/v1/users', feedRequest, {
        ...toBounds(feedRequest.range, wholeMinute(Date.now())),
        limit: 1,
      })
      return (await request<TraceUserList>(path, { signal })).users[0] ?? null
    },
  })
}

/** The first steps of a trace: enough for all but the longest. */
export const firstStepsQuery = (traceId: string) => ({
  ...readQuery<StepPage>(['first-steps', traceId], `/v1/traces/${traceId}/steps`, { limit: 500 }),
  staleTime: 60_000,
})

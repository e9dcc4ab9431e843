import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { pagesQuery } from './client/queries.ts'

/** Matching traces, page by page. */
export const traceListQuery = (filters: FeedQuery) =>
  pagesQuery<TraceFeed>(['trace-list', filters], '/v1/traces', { limit: 50, ...filters })

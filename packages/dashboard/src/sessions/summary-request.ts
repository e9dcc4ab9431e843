import type { FeedRequest } from '../api/client/feed.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'

/** The API request of a URL. The order is always that of the last traces. */
export function toSummaryRequest(search: FeedSearch): FeedRequest {
  const { filters, ...request } = toFeedRequest(search)
  const { sort: _sort, order: _order, ...taken } = filters
  return { ...request, filters: taken }
}

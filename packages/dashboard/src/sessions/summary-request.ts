import type { FeedRequest } from '../api/client/feed.ts'
import { type LastRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'

/** The API request of a URL. `otherwise` is its time range by default. The order is always that of the last traces. */
export function toSummaryRequest(search: FeedSearch, otherwise: LastRange | 'all'): FeedRequest {
  const range = toTimeRangeSearch(toTimeRange(search, otherwise))
  const { filters, ...request } = toFeedRequest({ ...search, ...range })
  const { sort: _sort, order: _order, ...taken } = filters
  return { ...request, filters: taken }
}

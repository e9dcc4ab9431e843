import type { FeedRequest } from '../api/client/feed.ts'
import { type LastRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { toFeedRequest } from '../traces/list/feed-request.ts'
import type { SummarySearch } from './search.ts'

/** The API request of a URL. `otherwise` is its time range by default. */
export function toSummaryRequest({ sort, ...search }: SummarySearch, otherwise: LastRange | 'all'): FeedRequest {
  const range = toTimeRangeSearch(toTimeRange(search, otherwise))
  const { filters, ...request } = toFeedRequest({ ...search, ...range })
  return { ...request, filters: { ...filters, sort } }
}

import type { FeedQuery as FeedQuerySchema } from '@spoor/contract/schemas/traces/feed-query'
import { toTraceFilters } from '@spoor/contract/trace-filters'
import type { FeedQuery } from '../../../traces/use-cases.ts'
import { metadataFilters } from '../../kernel/query-values.ts'
import type { WithTimes } from '../../kernel/request-times.ts'

type Filters = Omit<FeedQuery, 'projectId' | 'sort' | 'order' | 'limit' | 'cursor'>

/** The filters of a list of traces. `pairs` is the query in its order. */
export function toFeedFilters(
  query: Omit<WithTimes<typeof FeedQuerySchema>, 'sort' | 'order'>,
  pairs: URLSearchParams,
): Filters {
  return {
    ...toTraceFilters('lists', query),
    metadata: metadataFilters(pairs),
    startTime: query.start_time ?? null,
    endTime: query.end_time ?? null,
    text: query.q ?? null,
  }
}

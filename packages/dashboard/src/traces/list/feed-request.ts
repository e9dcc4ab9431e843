import type { FeedRequest, Filters } from '../../api/client/feed.ts'
import { boundsOf, toTimeRange } from '../../lib/time-range.ts'
import { changed } from '../../lib/search.ts'
import { metricNameOf } from './columns.ts'
import type { ListLook } from './list-look.ts'
import { isFiltered } from '../filters/feed-filters.ts'
import { ARGUMENT_FIELDS, type FeedSearch, FILTER_FIELDS } from '../filters/search.ts'
import { orderOf, rowsOf, sortChoiceOf } from './sort-choice.ts'

/** With the columns of metrics. */
export function withMetrics(request: FeedRequest, { columns }: Pick<ListLook, 'columns'>): FeedRequest {
  const metricValues = columns.flatMap((id) => metricNameOf(id) ?? [])
  return metricValues.length === 0 ? request : { ...request, metricValues }
}

/** `rows`: those that are requested. */
export function toFeedRequest(search: FeedSearch, rows = rowsOf(search)): FeedRequest {
  const { q, meta = [] } = search
  const fields = Object.fromEntries(FILTER_FIELDS.map((field) => [field, search[field]]))
  const texts = ARGUMENT_FIELDS.flatMap((field) =>
    Object.entries(search[field] ?? {}).map(([key, values]) => [`${field}.${key}`, values] as const),
  )
  return {
    filters: { q, ...fields, ...Object.fromEntries(texts), ...orderOf(search, rows) },
    metadata: meta,
    range: toTimeRange(search, 'all'),
  }
}

/** The filters alone: series have an order of their own. */
export function seriesFilters(search: FeedSearch): Filters {
  const { filters, metadata } = toFeedRequest(changed(search, { sort: undefined, order: undefined }))
  return { filters, metadata }
}

/** Whether the time range includes future traces. */
export function reachesNow(search: FeedSearch, now: number): boolean {
  const { to } = boundsOf(toTimeRange(search, 'all'), now)
  return to === null || to > now
}

/**
 * Whether every new trace belongs on top of the list. The tail reports only that a trace was committed, not its fields.
 */
export function takesAllOnTop(search: FeedSearch, now: number): boolean {
  return reachesNow(search, now) && !isFiltered(search) && sortChoiceOf(search) === 'created_at desc'
}

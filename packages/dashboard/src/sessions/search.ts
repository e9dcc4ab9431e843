import { SUMMARY_SORTS } from '@spoor/contract/schemas/traces/trace-summary'
import { changed } from '../lib/search.ts'
import { type FeedSearch, feedSearch } from '../traces/filters/search.ts'

export type SummarySort = (typeof SUMMARY_SORTS)[number]

/** The URL parameters of lists of sessions and users: those of the list of traces, and another sort key. */
export interface SummarySearch extends Omit<FeedSearch, 'sort'> {
  /** Default: by newest activity. */
  readonly sort?: Exclude<SummarySort, 'last_at'>
}

/** Parses the URL of the screen; drops invalid values. */
export function summarySearch(raw: Record<string, unknown>): SummarySearch {
  const { sort: _sort, ...search } = feedSearch(raw)
  const sort = SUMMARY_SORTS.find((each) => each === raw['sort'])
  return sort === undefined || sort === 'last_at' ? search : { ...search, sort }
}

/** The order after a click on a column header: largest or newest first, then reversed. */
export function sortedBy(search: SummarySearch, sort: SummarySort): SummarySearch {
  const turned = (search.sort ?? 'last_at') === sort && search.order === undefined
  return changed(search, { sort: sort === 'last_at' ? undefined : sort, order: turned ? 'asc' : undefined })
}

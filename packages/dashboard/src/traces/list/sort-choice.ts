import type { SeriesRows } from '@spoor/contract/series-fields'
import { changed } from '../../lib/search.ts'
import type { FeedSearch } from '../filters/search.ts'
import { type Sort, SORTS } from './columns.ts'

interface SortChoice {
  /** `field order`. */
  readonly value: string
  readonly label: string
}

const LABELS: Readonly<Record<Sort, readonly [desc: string, asc: string]>> = {
  created_at: ['Newest first', 'Oldest first'],
  duration_ms: ['Longest first', 'Shortest first'],
  total_tokens: ['Most tokens', 'Fewest tokens'],
  cost_usd: ['Dearest first', 'Cheapest first'],
  step_count: ['Most steps', 'Fewest steps'],
  started_at: ['Started last', 'Started first'],
}
const ALL = Object.keys(LABELS) as Sort[]

/** The rows that a search lists. */
export const rowsOf = ({ as }: FeedSearch): SeriesRows => (as === 'steps' ? 'steps' : 'traces')

export function sortChoices(rows: SeriesRows): readonly SortChoice[] {
  return SORTS[rows].flatMap((sort) => [
    { value: `${sort} desc`, label: LABELS[sort][0] },
    { value: `${sort} asc`, label: LABELS[sort][1] },
  ])
}

/** The order of these rows: the default if they lack the sort key, which may be that of another form. */
export function orderOf(search: FeedSearch, rows = rowsOf(search)): Pick<FeedSearch, 'sort' | 'order'> {
  const { sort, order } = search
  const has = sort === undefined || SORTS[rows].some((each) => each === sort)
  return has ? changed<FeedSearch>({}, { sort, order }) : {}
}

export function sortChoiceOf(search: FeedSearch): string {
  const { sort = 'created_at', order = 'desc' } = orderOf(search)
  return `${sort} ${order}`
}

/** How a header by this key is marked. */
export function sortedState(search: FeedSearch, sort: Sort): 'none' | 'ascending' | 'descending' {
  const [by, order] = sortChoiceOf(search).split(' ')
  return by !== sort ? 'none' : order === 'asc' ? 'ascending' : 'descending'
}

export function withSortChoice(search: FeedSearch, choice: string): FeedSearch {
  const sort = ALL.find((each) => choice.startsWith(`${each} `)) ?? 'created_at'
  return changed(search, {
    sort: sort === 'created_at' ? undefined : sort,
    order: choice.endsWith(' asc') ? 'asc' : undefined,
  })
}

/** The order after a click on a column header: largest or newest first, then reversed, then the default. */
export function withSortBy(search: FeedSearch, sort: Sort): FeedSearch {
  const turned = sortChoiceOf(search) === `${sort} desc`
  return withSortChoice(search, `${sort} ${turned ? 'asc' : 'desc'}`)
}

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
}

export const SORT_CHOICES: readonly SortChoice[] = SORTS.flatMap((sort) => [
  { value: `${sort} desc`, label: LABELS[sort][0] },
  { value: `${sort} asc`, label: LABELS[sort][1] },
])

export function sortChoiceOf({ sort, order }: FeedSearch): string {
  return `${sort ?? 'created_at'} ${order ?? 'desc'}`
}

export function withSortChoice(search: FeedSearch, choice: string): FeedSearch {
  const sort = SORTS.find((each) => choice.startsWith(`${each} `)) ?? 'created_at'
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

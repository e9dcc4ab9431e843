import type { SelectionFilters } from '@spoor/contract/schemas/cluster'
import { filterLabel, filtersOf, filterValueLabel } from '../traces/filters/feed-filters.ts'
import { feedSearch, type FeedSearch } from '../traces/filters/search.ts'

/** The address of the list of the traces of a selection. */
export function searchOfSelection({ metadata = {}, start_time: from, end_time: to, ...fields }: SelectionFilters) {
  const meta = Object.entries(metadata).map(([key, value]) => (value === null ? [key] : [key, value]))
  return feedSearch({ range: 'all', ...fields, from, to, meta })
}

/** "Status failed, env prod". */
export function selectionInWords(
  filters: SelectionFilters,
  clusters: readonly { id: string; label: string }[],
): string {
  const search: FeedSearch = searchOfSelection(filters)
  const words = filtersOf(search).map((filter) => {
    const value = filterValueLabel(filter)
    return `${filterLabel(filter)} ${clusters.find(({ id }) => id === value)?.label ?? value}`
  })
  const times = [
    filters.start_time !== undefined && `from ${filters.start_time}`,
    filters.end_time !== undefined && `to ${filters.end_time}`,
  ].filter((text) => text !== false)
  return [...words, ...(search.q === undefined ? [] : [`“${search.q}”`]), ...times].join(', ')
}

import { readTimeRangeSearch, type TimeRangeSearch } from '../lib/time-range.ts'

let kept: TimeRangeSearch = {}

/** Keeps the range of an address, if it has one, for the screens that are opened next. */
export function noteRange(search: object): void {
  const range = readTimeRangeSearch({ ...search })
  if (hasRange(range)) kept = range
}

/** A router middleware: an address that names no range gets the last one. */
export function keepRange<Search extends TimeRangeSearch>({
  search,
  next,
}: {
  search: Search
  next: (search: Search) => Search
}): Search {
  const wanted = next(search)
  return hasRange(wanted) ? wanted : { ...wanted, ...kept }
}

function hasRange({ range, from, to }: TimeRangeSearch): boolean {
  return range !== undefined || (from !== undefined && to !== undefined)
}

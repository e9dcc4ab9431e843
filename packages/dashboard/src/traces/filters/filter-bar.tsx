import type { ReactNode, RefObject } from 'react'
import { changed } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { isFiltered, withoutFilters } from './feed-filters.ts'
import { FilterChips } from './filter-chips.tsx'
import { SearchBox } from './search-box.tsx'
import type { FeedSearch } from './search.ts'
import { rowsOf, sortChoiceOf, sortChoices, withSortChoice } from '../list/sort-choice.ts'

export interface FilterBarProps {
  readonly search: FeedSearch
  onChange(next: FeedSearch, how?: { replace: boolean }): void
  readonly searchRef: RefObject<HTMLInputElement | null>
  readonly adding: boolean
  onAdding(open: boolean): void
  /** Whether the list has no headers to sort by. */
  readonly narrow: boolean
  /** Before the search. */
  readonly children?: ReactNode
}

export function FilterBar({ search, onChange, searchRef, adding, onAdding, narrow, children }: FilterBarProps) {
  const setText = (q: string) => onChange(changed(search, { q: q || undefined }), { replace: search.q !== undefined })
  return (
    <div role="search" aria-label="Traces" className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
      {children}
      <SearchBox ref={searchRef} value={search.q ?? ''} onChange={setText} />
      <FilterChips {...{ search, onChange, adding, onAdding }} />
      {isFiltered(search) && (
        <Button variant="ghost" onClick={() => onChange(withoutFilters(search))}>
          Clear
        </Button>
      )}
      {narrow && search.as !== 'chart' && (
        <Select
          aria-label="Sort by"
          className="ml-auto w-auto!"
          value={sortChoiceOf(search)}
          onChoice={(choice) => onChange(withSortChoice(search, choice))}
          options={sortChoices(rowsOf(search)).map(({ value, label }) => [value, label])}
        />
      )}
    </div>
  )
}

import { ListFilter } from 'lucide-react'
import { Popover } from 'radix-ui'
import type { ReactNode, RefObject } from 'react'
import { changed } from '../../lib/search.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { POPOVER_CONTENT } from '../../ui/menu-classes.ts'
import { filterName, filtersOf, isFiltered, withFilter, withoutFilter, withoutFilters } from './feed-filters.ts'
import { FilterChip } from './filter-chip.tsx'
import { FilterEditor } from './filter-editor.tsx'
import { SearchBox } from './search-box.tsx'
import type { FeedSearch } from './search.ts'
import { SORT_CHOICES, sortChoiceOf, withSortChoice } from '../list/sort-choice.ts'

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
      {filtersOf(search).map((filter) => (
        <FilterChip
          key={filterName(filter)}
          filter={filter}
          onChange={(next) => onChange(withFilter(search, next))}
          onRemove={() => onChange(withoutFilter(search, filter))}
        />
      ))}
      <Popover.Root open={adding} onOpenChange={onAdding}>
        <Popover.Trigger asChild>
          <Button icon={ListFilter} className="border-dashed">
            Add filter
          </Button>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content className={`${POPOVER_CONTENT} w-72`} align="start" sideOffset={4} aria-label="Add a filter">
            <FilterEditor
              onFilter={(...filters) => {
                onAdding(false)
                onChange(filters.reduce(withFilter, search))
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
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
          options={SORT_CHOICES.filter(({ value }) => search.as === undefined || !value.startsWith('step_count')).map(
            ({ value, label }) => [value, label],
          )}
        />
      )}
    </div>
  )
}

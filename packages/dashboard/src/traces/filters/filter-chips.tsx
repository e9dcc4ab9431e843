import { ListFilter } from 'lucide-react'
import { Popover } from 'radix-ui'
import { Button } from '../../ui/button.tsx'
import { POPOVER_CONTENT } from '../../ui/menu-classes.ts'
import { filterName, filtersOf, withFilter, withoutFilter } from './feed-filters.ts'
import { FilterChip } from './filter-chip.tsx'
import { FilterEditor } from './filter-editor.tsx'
import type { FeedSearch, FilterField } from './search.ts'

interface FilterChipsProps {
  readonly search: FeedSearch
  onChange(next: FeedSearch): void
  /** Whether a filter is being added. */
  readonly adding: boolean
  onAdding(open: boolean): void
  /** The fields to choose from. Default: all. */
  readonly fields?: readonly FilterField[]
}

/** The filters that are set, and the button that adds one. */
export function FilterChips({ search, onChange, adding, onAdding, fields }: FilterChipsProps) {
  return (
    <>
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
              {...(fields === undefined ? {} : { fields })}
              onFilter={(...filters) => {
                onAdding(false)
                onChange(filters.reduce(withFilter, search))
              }}
            />
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
    </>
  )
}

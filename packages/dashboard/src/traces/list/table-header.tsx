import { type ColumnId, columnOf, type Sort } from './columns.ts'
import type { RowShape } from './row-shape.ts'
import type { FeedSearch } from '../filters/search.ts'
import { sortedState } from './sort-choice.ts'
import { MarkBox } from '../marked/mark-box.tsx'
import { SortButton } from '../../ui/sort-button.tsx'

interface TableHeaderProps {
  readonly shape: RowShape
  readonly search: FeedSearch
  onSort(sort: Sort): void
  /** Null: rows cannot be selected. */
  readonly marking: { readonly areAllMarked: boolean; onMarkAll(): void } | null
}

export const HEADER_PX = 32

export function TableHeader({ shape, search, onSort, marking }: TableHeaderProps) {
  return (
    <div role="rowgroup" className="bg-sunken sticky top-0 z-20 border-b">
      <div
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: shape.template, height: HEADER_PX }}
        className="text-muted relative grid items-center gap-4 pr-4 pl-10 text-xs font-medium"
      >
        {marking !== null && (
          <div role="columnheader" className="absolute inset-y-0 left-0 flex w-10 items-center justify-center">
            <MarkBox label="Select all loaded traces" isMarked={marking.areAllMarked} onMark={marking.onMarkAll} />
          </div>
        )}
        {shape.columns.map((id) => (
          <Header key={id} id={id} search={search} onSort={onSort} />
        ))}
        {shape.below.map((id) => (
          <div key={id} role="columnheader" className="sr-only">
            {columnOf(id).label}
          </div>
        ))}
      </div>
    </div>
  )
}

function Header({ id, search, onSort }: { id: ColumnId; search: FeedSearch; onSort: (sort: Sort) => void }) {
  const { label, sort, numeric } = columnOf(id)
  const align = numeric === true ? 'text-right' : ''
  if (sort === undefined) {
    return (
      <div role="columnheader" className={`truncate ${align}`}>
        {label}
      </div>
    )
  }
  const sorted = sortedState(search, sort)
  return (
    <div role="columnheader" aria-sort={sorted} className={`min-w-0 ${align}`}>
      <SortButton label={label} sorted={sorted} onSort={() => onSort(sort)} />
    </div>
  )
}

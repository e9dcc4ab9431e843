import { ArrowRight } from 'lucide-react'
import { memo } from 'react'
import { cellOf, Flagged, isFlaggedAlone } from './cells.tsx'
import { type ColumnId, columnOf } from './columns.ts'
import { Found } from './preview.tsx'
import { MarkBox } from '../marked/mark-box.tsx'
import type { RowShape } from './row-shape.ts'
import { type CellProps, TraceLink } from './trace-link.tsx'

export interface TraceRowProps extends CellProps {
  readonly index: number
  readonly top: number
  readonly shape: RowShape
  readonly selected: boolean
  /** Whether it is selected for a change of several. */
  readonly isMarked: boolean
  /** Null: rows cannot be selected. */
  readonly onMark: ((id: string) => void) | null
}

export const TraceTableRow = memo(function TraceTableRow(props: TraceRowProps) {
  const { row, index, top, shape, query, selected, isMarked, onMark } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ top, height: shape.rowPx }}
      className={`absolute inset-x-0 flex flex-col justify-center gap-0.5 border-b pr-4 pl-10 text-sm ${selected || isMarked ? 'bg-selected' : 'hover:bg-hover'}`}
    >
      {onMark !== null && (
        <span role="cell" className="absolute top-0 bottom-0 left-0 z-10 flex w-10 items-center justify-center">
          <MarkBox label={`Select ${row.name}`} isMarked={isMarked} onMark={() => onMark(row.id)} />
        </span>
      )}
      <div style={{ gridTemplateColumns: shape.template }} className="grid items-center gap-4">
        {shape.columns.map((id) => (
          <Cell key={id} id={id} {...props} />
        ))}
      </div>
      {shape.below.length > 0 && (
        <div className={`flex items-center gap-2 ${shape.columns[0] === 'status' ? 'pl-20' : ''}`}>
          {shape.below.map((id, at) => [
            at > 0 && <ArrowRight key="then" className="text-muted size-3.5 shrink-0" aria-hidden />,
            <div key={id} role="cell" className={`relative min-w-0 truncate ${at === 0 ? 'flex-2' : 'flex-3'}`}>
              {/* What a search found takes the last place. */}
              {row.snippet && at === shape.below.length - 1 ? (
                <Found snippet={row.snippet} query={query} />
              ) : (
                cellOf(id, { ...props, row })
              )}
            </div>,
          ])}
        </div>
      )}
    </div>
  )
})

function Cell({ id, row, query, tabbable, shape }: TraceRowProps & { readonly id: ColumnId }) {
  return (
    <div role="cell" className={`min-w-0 truncate ${columnOf(id).numeric === true ? 'text-right tabular-nums' : ''}`}>
      {id === 'name' ? (
        <span className="flex min-w-0 items-center gap-1.5">
          <TraceLink row={row} query={query} tabbable={tabbable} className="min-w-0" />
          {isFlaggedAlone(row) && <Flagged />}
          {shape.below.length === 0 && row.snippet && (
            <span className="min-w-1/2 flex-1 text-xs">
              <Found snippet={row.snippet} query={query} />
            </span>
          )}
        </span>
      ) : (
        cellOf(id, { row, query, tabbable })
      )}
    </div>
  )
}

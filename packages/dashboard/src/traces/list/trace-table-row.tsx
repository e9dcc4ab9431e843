import type { ListedTrace } from '@spoor/contract/schemas/traces/trace-row'
import { memo } from 'react'
import { CELLS } from './cells.tsx'
import { type ColumnId, COLUMNS } from './columns.ts'
import { TraceLink } from './trace-link.tsx'

export interface TraceRowProps {
  readonly row: ListedTrace
  readonly index: number
  readonly top: number
  readonly columns: readonly ColumnId[]
  readonly template: string
  readonly query: string | undefined
  readonly selected: boolean
  readonly tabbable: boolean
}

export const TABLE_ROW_PX = 36

export const TraceTableRow = memo(function TraceTableRow(props: TraceRowProps) {
  const { row, index, top, columns, template, query, selected, tabbable } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ top, height: TABLE_ROW_PX, gridTemplateColumns: template }}
      className={`absolute inset-x-0 grid items-center gap-4 border-b px-4 text-sm ${selected ? 'bg-selected' : 'hover:bg-hover'}`}
    >
      {columns.map((id) => (
        <div
          key={id}
          role="cell"
          className={`min-w-0 truncate ${COLUMNS[id].numeric === true ? 'text-right tabular-nums' : ''}`}
        >
          {id === 'name' ? (
            <TraceLink snippet={row.snippet} id={row.id} name={row.name} query={query} tabbable={tabbable} />
          ) : (
            CELLS[id](row)
          )}
        </div>
      ))}
    </div>
  )
})

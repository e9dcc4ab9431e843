import { type ColumnId, columnOf, TEXT_COLUMNS } from './columns.ts'
import type { ListLook } from './list-look.ts'

export interface RowShape {
  /** Cells of the first line. */
  readonly columns: readonly ColumnId[]
  /** Cells of the second line; empty if there is none. */
  readonly below: readonly Exclude<ColumnId, 'name'>[]
  /** Tracks of the first line's grid. */
  readonly template: string
  readonly rowPx: number
  /** Of the table, from which it scrolls sideways. */
  readonly leastWidthPx: number
}

const ONE_LINE_PX = 36
const TWO_LINES_PX = 58
const GAP_PX = 16
const PADDING_PX = 56

export function rowShape({ columns, lines }: ListLook): RowShape {
  const isBelow = (id: ColumnId): id is Exclude<ColumnId, 'name'> => lines === 2 && TEXT_COLUMNS.has(id)
  const shown = columns.filter((id) => !isBelow(id))
  const below = columns.filter(isBelow)
  return {
    columns: shown,
    below,
    template: shown.map((id) => columnOf(id).width).join(' '),
    rowPx: below.length === 0 ? ONE_LINE_PX : TWO_LINES_PX,
    leastWidthPx: shown.reduce((sum, id) => sum + columnOf(id).minPx + GAP_PX, PADDING_PX - GAP_PX),
  }
}

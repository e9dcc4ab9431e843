import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useEffect, useMemo } from 'react'
import { useEmpty } from '../../lib/hooks/use-empty.ts'
import { type ColumnId, columnOf, type Sort, TEXT_COLUMNS, USUAL_COLUMNS } from './columns.ts'
import type { ListLook } from './list-look.ts'

/** The usual columns that may be empty, and whether a row has a value there. */
const HAS_VALUE: Readonly<Partial<Record<ColumnId, (row: TraceRow) => boolean>>> = {
  input: ({ input_preview: text }) => text !== null,
  output: ({ output_preview: text }) => text !== null,
  duration_ms: ({ duration_ms: ms }) => ms !== null,
  total_tokens: ({ token_usage: { total } }) => total > 0,
  cost_usd: ({ cost_usd: usd }) => usd !== null,
  models: ({ models }) => models.length > 0,
}
const MAY_BE_EMPTY = Object.keys(HAS_VALUE) as readonly ColumnId[]

/** The key in localStorage of the columns that were empty last: until its rows come, a list is drawn without these. */
const STORED_AS = 'spoor.empty-columns'

/** The columns among these for which no row has a value. */
export function emptyAmong(columns: readonly ColumnId[], rows: readonly TraceRow[]): readonly ColumnId[] {
  return columns.filter((id) => !rows.some((row) => HAS_VALUE[id]?.(row)))
}

/**
 * The look without usual columns that are empty. Who has left out a usual column has chosen the others. The second line
 * of rows stays, and so does what the list is sorted by.
 */
export function withoutEmpty(look: ListLook, empty: readonly ColumnId[], sort: Sort | undefined): ListLook {
  const { columns, lines } = look
  if (!USUAL_COLUMNS.every((id) => columns.includes(id))) return look
  const stays = (id: ColumnId) => columnOf(id).sort === (sort ?? null) || (lines === 2 && TEXT_COLUMNS.has(id))
  return { lines, columns: columns.filter((id) => stays(id) || !empty.includes(id)) }
}

/** The columns of the look that the list leaves out. */
export function leftOut(look: ListLook, sort: Sort | undefined): readonly ColumnId[] {
  const { columns } = withoutEmpty(look, readStored(), sort)
  return look.columns.filter((id) => !columns.includes(id))
}

/** The same for the rows of a list as they are loaded. `listKey`: null while they are those of another list. */
export function useFilledLook(
  look: ListLook,
  listKey: string | null,
  rows: readonly TraceRow[],
  sort: Sort | undefined,
): ListLook {
  const named = useEmpty(listKey, MAY_BE_EMPTY, rows, emptyAmong, readStored).join()
  useEffect(() => localStorage.setItem(STORED_AS, named), [named])
  return useMemo(() => withoutEmpty(look, named.split(',') as ColumnId[], sort), [look, named, sort])
}

const readStored = () => (localStorage.getItem(STORED_AS) ?? '').split(',') as readonly ColumnId[]

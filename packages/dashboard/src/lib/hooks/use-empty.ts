import { useState } from 'react'

/**
 * The columns that are empty in a list as its rows are loaded: one that was shown stays while the list is the same, in
 * any order. `listKey`: null while the rows are those of another list. `first`: those before any rows.
 */
export function useEmpty<Column, Row>(
  listKey: string | null,
  columns: readonly Column[],
  rows: readonly Row[],
  emptyAmong: (columns: readonly Column[], rows: readonly Row[]) => readonly Column[],
  first: () => readonly Column[] = () => [],
): readonly Column[] {
  const [known, setKnown] = useState(() => ({ listKey: '', empty: first() }))
  if (listKey === null || rows.length === 0) return known.empty
  const isSame = known.listKey === listKey
  const empty = emptyAmong(isSame ? known.empty : columns, rows)
  if (!isSame || empty.length < known.empty.length) setKnown({ listKey, empty })
  return empty
}

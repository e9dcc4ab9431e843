import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useEffect, useState } from 'react'
import { useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { linkId } from './trace-link.tsx'

interface RowSelectionOptions {
  readonly rows: readonly TraceRow[]
  /** The first visible row. */
  firstVisible(): number
  reveal(index: number): void
  /** Shows the filter menu of the selected row at its link. */
  onValues(row: TraceRow, link: HTMLElement): void
  /** Selects or deselects a row for a change of several. Null: rows cannot be. */
  readonly onMark: ((id: string) => void) | null
  /** Called for Esc without a selection. */
  onEscape(): void
}

/** Moves through the rows by `j` and `k`. The selected row's link has the focus, so that Enter opens it. */
export function useRowSelection({
  rows,
  firstVisible,
  reveal,
  onValues,
  onMark,
  onEscape,
}: RowSelectionOptions): string | null {
  const [selectedId, setSelectedId] = useState<string | null>(null)
  const index = selectedId === null ? -1 : rows.findIndex(({ id }) => id === selectedId)
  const select = (to: number) => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (row === undefined) return
    reveal(rows.indexOf(row))
    setSelectedId(row.id)
  }
  const link = () => (selectedId === null ? null : document.getElementById(linkId(selectedId)))
  useEffect(() => {
    if (selectedId === null) return
    // A row that was not visible is rendered first. What was opened meanwhile, by the next key, keeps the focus.
    const frame = requestAnimationFrame(() => {
      if (document.querySelector('[role=menu], [role=dialog]') !== null) return
      document.getElementById(linkId(selectedId))?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [selectedId])
  useShortcuts('Trace list', {
    j: { does: 'Next trace', run: () => select(index < 0 ? firstVisible() : index + 1) },
    k: { does: 'Previous trace', run: () => select(index < 0 ? firstVisible() : index - 1) },
    Enter: { does: 'Open the selected trace', run: () => link()?.click() },
    x: {
      does: 'Filter by a value of the selected trace',
      run: () => {
        const row = rows[index]
        const element = link()
        if (row !== undefined && element !== null) onValues(row, element)
      },
    },
    ...(onMark === null
      ? {}
      : {
          s: {
            does: 'Select the trace, to change several at once',
            run: () => {
              if (selectedId !== null) onMark(selectedId)
            },
          },
        }),
    Escape: {
      does: 'Clear selection, then the search',
      run: () => {
        if (selectedId === null) onEscape()
        link()?.blur()
        setSelectedId(null)
      },
    },
  })
  return selectedId
}

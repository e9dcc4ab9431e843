import type { RefObject } from 'react'
import { useShortcuts } from './use-shortcuts.ts'

/** `j` and `k` move through the rows of a short list: its elements with `data-row`. */
export function useRowKeys(title: string, list: RefObject<HTMLElement | null>): void {
  const step = (by: number) => {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus()
  }
  useShortcuts(title, {
    j: { does: 'Next row', run: () => step(1) },
    k: { does: 'Previous row', run: () => step(-1) },
  })
}

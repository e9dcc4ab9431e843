import type { Delivery } from '@spoor/contract/schemas/delivery'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useShortcuts } from '../../lib/hooks/use-shortcuts.ts'
import { DeliveryRow } from './delivery-row.tsx'

interface DeliveryTableProps {
  readonly rows: readonly Delivery[]
  readonly openId: string | undefined
  readonly busy: boolean
  /** The visible rows: near the last one more are loaded, at the first the list is refreshed. */
  onSeen(first: number, last: number): void
}

const ROW_PX = 41

export function DeliveryTable({ rows, openId, busy, onSeen }: DeliveryTableProps) {
  const table = useRef<HTMLTableElement>(null)
  const [scrollMargin, setScrollMargin] = useState(0)
  // Content above the table may have grown.
  useLayoutEffect(() => {
    setScrollMargin(Math.round((table.current?.getBoundingClientRect().top ?? 0) + window.scrollY))
  })
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const items = virtualizer.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onSeen(first, last), [first, last, onSeen, rows.length])
  const focus = (index: number) => {
    virtualizer.scrollToIndex(index)
    const row = () => table.current?.querySelector<HTMLElement>(`[data-delivery="${rows[index]?.id}"]`)
    // Focuses a rendered row at once, so that the next key starts there.
    const drawn = row()
    if (drawn) drawn.focus({ preventScroll: true })
    else requestAnimationFrame(() => row()?.focus({ preventScroll: true }))
  }
  const step = (by: number) => {
    const id = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['delivery'] : undefined
    const at = rows.findIndex((row) => row.id === (id ?? openId))
    const to = at === -1 ? (virtualizer.range?.startIndex ?? 0) : at + by
    if (rows.length > 0) focus(Math.min(Math.max(to, 0), rows.length - 1))
  }
  useShortcuts('Deliveries', {
    j: { does: 'Next delivery', run: () => step(1) },
    k: { does: 'Previous delivery', run: () => step(-1) },
  })
  const top = (items[0]?.start ?? scrollMargin) - scrollMargin
  const bottom = virtualizer.getTotalSize() + scrollMargin - (items.at(-1)?.end ?? scrollMargin)
  return (
    <div className="@container">
      <table
        ref={table}
        aria-busy={busy}
        aria-rowcount={rows.length + 1}
        className="w-full table-fixed text-left text-sm"
      >
        <thead className="text-muted border-b text-xs">
          <tr>
            <th className="py-2 pr-2 pl-4 font-medium">Event</th>
            <th className="w-24 px-2 py-2 font-medium @2xl:w-28">Status</th>
            <th className="hidden w-44 px-2 py-2 font-medium @2xl:table-cell">Last response</th>
            <th className="hidden w-20 px-2 py-2 text-right font-medium @2xl:table-cell">Attempts</th>
            <th className="hidden w-24 px-2 py-2 text-right font-medium @2xl:table-cell">Duration</th>
            <th className="hidden w-32 px-2 py-2 text-right font-medium @2xl:table-cell">Next attempt</th>
            <th className="w-28 py-2 pr-4 pl-2 text-right font-medium">Created</th>
          </tr>
        </thead>
        <tbody>
          <Space height={top} />
          {items.map(({ index, key }) => {
            const delivery = rows[index]
            return delivery === undefined ? null : (
              <DeliveryRow
                key={key}
                ref={virtualizer.measureElement}
                delivery={delivery}
                index={index}
                open={delivery.id === openId}
              />
            )
          })}
          <Space height={bottom} />
        </tbody>
      </table>
    </div>
  )
}

/** A spacer for rows that are not rendered. */
function Space({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden>
      <td style={{ height }} />
    </tr>
  )
}

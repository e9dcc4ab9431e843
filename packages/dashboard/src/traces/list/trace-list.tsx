import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { toggled } from '../../lib/toggled.ts'
import type { FeedSearch } from '../filters/search.ts'
import type { Sort } from './columns.ts'
import { HEADER_PX, TableHeader } from './table-header.tsx'
import { rowShape } from './row-shape.ts'
import type { ListLook } from './list-look.ts'
import { CARD_PX, TraceCard } from './trace-card.tsx'
import { TraceTableRow } from './trace-table-row.tsx'
import { useRowSelection } from './use-row-selection.ts'
import { filtersOfRow } from '../filters/row-filters.ts'
import type { ValueOffer } from '../filters/value-offer.tsx'

export interface TraceListProps {
  readonly rows: readonly TraceRow[]
  readonly search: FeedSearch
  readonly look: ListLook
  /** Cards instead of a table. */
  readonly narrow: boolean
  readonly scrollRef: RefObject<HTMLDivElement | null>
  /** Whether a list was rendered: until then only visible rows are. */
  readonly listed: boolean
  /** Identifies the list, to restore its scroll position. */
  readonly listKey: string
  /** Loads more rows; null if there are none, or while they load. */
  readonly onMore: (() => void) | null
  onSort(sort: Sort): void
  onOffer(offer: ValueOffer): void
  onEscape(): void
  /** Ids of the selected traces. Null: none can be selected. */
  readonly marked: ReadonlySet<string> | null
  onMark(ids: ReadonlySet<string>): void
  /** Whether the reader is using the list, so that new rows would disturb. */
  onInUse(inUse: boolean): void
  readonly end: ReactNode
}

/** More rows are loaded when this many remain below. */
const ROWS_AHEAD = 10
/** Rows rendered above and below the visible ones. */
const ROWS_AROUND = 8

export function TraceList(props: TraceListProps) {
  const { rows, search, look, narrow, scrollRef, onMore, onInUse, marked, onMark } = props
  const [atTop, setAtTop] = useState(true)
  const [pointed, setPointed] = useState(false)
  const shape = useMemo(() => rowShape(look), [look])
  const rowPx = narrow ? CARD_PX : shape.rowPx
  const margin = narrow ? 0 : HEADER_PX
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: props.listed ? ROWS_AROUND : 0,
    scrollMargin: margin,
    scrollPaddingStart: margin,
  })
  useEffect(() => virtualizer.measure(), [virtualizer, rowPx])
  const markedNow = useRef(marked)
  markedNow.current = marked
  const mark = useCallback((id: string) => onMark(toggled(markedNow.current ?? new Set(), id)), [onMark])
  const areAllMarked = marked !== null && rows.length > 0 && rows.every(({ id }) => marked.has(id))
  const selectedId = useRowSelection({
    rows,
    firstVisible: () => Math.ceil(Math.max(0, (virtualizer.scrollOffset ?? 0) - 1) / rowPx),
    reveal: (index) => virtualizer.scrollToIndex(index, { align: 'auto' }),
    onValues: (row, link) => props.onOffer({ from: link, filters: filtersOfRow(row) }),
    onMark: marked === null ? null : mark,
    onEscape: props.onEscape,
  })
  const isMarking = marked !== null && marked.size > 0
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  useEffect(() => {
    if (last >= rows.length - ROWS_AHEAD) onMore?.()
  }, [last, rows.length, onMore])
  useEffect(() => {
    onInUse(!atTop || pointed || selectedId !== null || isMarking)
    return () => onInUse(false)
  }, [atTop, pointed, selectedId, isMarking, onInUse])

  const Row = narrow ? TraceCard : TraceTableRow
  const body = items.map(({ index, start }) => {
    const row = rows[index]
    if (row === undefined) return null
    const tabbable = selectedId === null ? index === 0 : row.id === selectedId
    const shared = { row, index, shape, query: search.q, selected: row.id === selectedId, tabbable }
    const isMarked = marked?.has(row.id) ?? false
    return (
      <Row key={row.id} top={start - margin} {...shared} isMarked={isMarked} onMark={marked === null ? null : mark} />
    )
  })
  const height = { height: virtualizer.getTotalSize() }
  return (
    <div
      ref={scrollRef}
      data-scroll-restoration-id={`feed ${encodeURIComponent(props.listKey)}`}
      className="min-h-0 flex-1 overflow-auto overscroll-contain"
      onScroll={(event) => setAtTop(event.currentTarget.scrollTop < 4)}
    >
      <div
        style={narrow ? {} : { minWidth: shape.leastWidthPx }}
        onPointerEnter={({ pointerType }) => setPointed(pointerType === 'mouse')}
        onPointerLeave={() => setPointed(false)}
      >
        {narrow ? (
          <div role="list" aria-label="Traces" className="relative" style={height}>
            {body}
          </div>
        ) : (
          <div role="table" aria-label="Traces" aria-rowcount={onMore === null ? rows.length + 1 : -1}>
            <TableHeader
              shape={shape}
              search={search}
              onSort={props.onSort}
              marking={
                marked === null
                  ? null
                  : { areAllMarked, onMarkAll: () => onMark(new Set(areAllMarked ? [] : rows.map(({ id }) => id))) }
              }
            />
            <div role="rowgroup" className="relative" style={height}>
              {body}
            </div>
          </div>
        )}
      </div>
      {props.end}
    </div>
  )
}

import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { Link } from '@tanstack/react-router'
import { type CSSProperties, useState } from 'react'
import type { Tile } from '../api/dashboards.ts'
import { inOrder, isWide, moved, resized, without } from '../lib/tile-layout.ts'
import type { TimeRange } from '../lib/time-range.ts'
import { EmptyState } from '../ui/states.tsx'
import { useToast } from '../ui/toasts.tsx'
import { PinnedView } from './pinned-view.tsx'
import { useMayChange, useSaveTiles } from './use-dashboard.ts'

interface TileGridProps {
  readonly dashboard: Dashboard
  readonly range: TimeRange
  onRange(range: TimeRange): void
}

/** Tiles of a dashboard. Their order changes by drag, or by arrow keys on the handle of a tile. */
export function TileGrid({ dashboard, range, onRange }: TileGridProps) {
  const mayChange = useMayChange()(dashboard)
  const save = useSaveTiles(dashboard)
  const toast = useToast()
  const [dragged, setDragged] = useState<number | null>(null)
  const [over, setOver] = useState<number | null>(null)
  const [said, setSaid] = useState('')
  const tiles = inOrder(dashboard.tiles)
  const keys = keysOf(tiles)
  const move = (from: number, to: number) => {
    const place = Math.max(0, Math.min(tiles.length - 1, to))
    if (place === from) return
    save(moved(tiles, from, place))
    setSaid(`Moved to place ${place + 1} of ${tiles.length}`)
  }
  const change = (at: number) => ({
    isWide: isWide(tiles[at] as Tile),
    onMove: (by: number) => move(at, at + by),
    onResize: () => save(resized(tiles, at)),
    onRename: (name: string) =>
      save(tiles.map((tile, index) => (index === at && tile.view ? { ...tile, view: { ...tile.view, name } } : tile))),
    onRemove: (name: string) => {
      save(without(tiles, at))
      toast({ kind: 'ok', text: `“${name}” removed`, undo: () => save(tiles) })
    },
    onDrag: (begins: boolean) => {
      setDragged(begins ? at : null)
      setOver(null)
    },
  })
  if (tiles.length === 0) {
    return (
      <EmptyState title="Nothing is pinned yet">
        <p>
          Filter{' '}
          <Link to="/app/traces" className="text-accent hover:underline">
            traces
          </Link>
          , choose a table or a chart, and press Pin.
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      <ul className="grid grid-cols-1 gap-3 p-4 lg:auto-rows-[4.75rem] lg:grid-cols-12">
        {tiles.map((tile, at) => (
          <li
            key={keys[at]}
            style={placeOf(tile)}
            className={`bg-raised flex h-90 min-w-0 flex-col rounded-lg border lg:h-auto lg:[grid-column:var(--across)] lg:[grid-row:var(--at)] ${over === at && dragged !== at ? 'ring-accent ring-2' : ''} ${dragged === at ? 'opacity-50' : ''}`}
            {...(dragged === null
              ? {}
              : {
                  onDragOver: (event) => {
                    event.preventDefault()
                    setOver(at)
                  },
                  onDrop: (event) => {
                    event.preventDefault()
                    move(dragged, at)
                  },
                })}
          >
            <PinnedView {...{ tile, range, onRange }} change={mayChange ? change(at) : null} />
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  )
}

/** For the classes of wide windows. */
function placeOf({ x, y, w, h }: Tile): CSSProperties {
  return { '--at': `${y + 1} / span ${h}`, '--across': `${x + 1} / span ${w}` } as CSSProperties
}

/** Names that a tile keeps when it moves. */
function keysOf(tiles: readonly Tile[]): readonly string[] {
  const names = tiles.map(({ view_id, view }) => view_id ?? JSON.stringify(view))
  return names.map((name, at) => `${name} ${names.slice(0, at).filter((each) => each === name).length}`)
}

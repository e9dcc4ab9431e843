import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { GripVertical } from 'lucide-react'
import { useState } from 'react'
import type { Tile } from '../api/dashboards.ts'
import { viewsQuery } from '../api/views.ts'
import { ListedRows } from '../explore/point-rows.tsx'
import { useSeen } from '../lib/hooks/use-reach-end.ts'
import { type TimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { searchOfView } from '../traces/views/view-search.ts'
import { IconButton } from '../ui/button.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { ownScript } from '../ui/own-script.tsx'
import { Skeleton } from '../ui/states.tsx'
import { TextForm } from '../ui/text-form.tsx'

const ChartTile = ownScript(() => import('./chart-tile.tsx').then((module) => module.ChartTile))

interface TileChange {
  readonly isWide: boolean
  /** By places in the order. */
  onMove(by: number): void
  onResize(): void
  onRename(name: string): void
  onRemove(name: string): void
  /** Whether dragging begins or has ended. */
  onDrag(begins: boolean): void
}

interface PinnedViewProps {
  readonly tile: Tile
  readonly range: TimeRange
  onRange(range: TimeRange): void
  /** Null: the session may not change the dashboard. */
  readonly change: TileChange | null
}

/** A view in a tile: its title leads to it, its range is that of the dashboard. */
export function PinnedView({ tile, range, onRange, change }: PinnedViewProps) {
  const { data: views } = useQuery({ ...viewsQuery, enabled: tile.view_id !== undefined })
  const [ref, seen] = useSeen()
  const view = tile.view ?? views?.find(({ id }) => id === tile.view_id)
  const isGone = view === undefined && views !== undefined
  const name = view?.name ?? (isGone ? 'Deleted view' : '…')
  const search: FeedSearch | null =
    view === undefined ? null : { ...ofDashboard(searchOfView(view)), ...toTimeRangeSearch(range) }
  return (
    <>
      <div ref={ref} className="flex min-h-10 items-center gap-1 pr-1 pl-1">
        {change !== null && <Handle name={name} change={change} />}
        <h2 className={`min-w-0 flex-1 truncate text-sm font-semibold ${change === null ? 'pl-2' : ''}`} title={name}>
          {search === null ? (
            name
          ) : (
            <Link to="/app/traces" search={search} className="hover:text-accent">
              <bdi>{name}</bdi>
            </Link>
          )}
        </h2>
        {change !== null && <TileMenu {...{ name, change }} isOwn={tile.view !== undefined} />}
      </div>
      <div className="relative min-h-0 flex-1 overflow-auto">
        {isGone && <p className="text-muted px-3 text-sm">The saved view was deleted.</p>}
        {search !== null && seen && search.as === 'chart' && (
          <ChartTile
            {...{ name, search, range, onRange }}
            limit={view?.chart?.limit}
            meanwhile={<Skeleton className="mx-3 h-40" />}
          />
        )}
        {search !== null && seen && search.as !== 'chart' && <ListedRows search={search} title={name} />}
      </div>
    </>
  )
}

/** Without times of its own. */
function ofDashboard({ range: _range, from: _from, to: _to, ...search }: FeedSearch): FeedSearch {
  return search
}

const MOVES: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }

function Handle({ name, change: { onMove, onDrag } }: { name: string; change: TileChange }) {
  return (
    <IconButton
      icon={GripVertical}
      label={`Move ${name}`.slice(0, 200)}
      title="Drag to move, or use the arrow keys"
      className="w-6! shrink-0 cursor-grab"
      draggable
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', name)
        onDrag(true)
      }}
      onDragEnd={() => onDrag(false)}
      onKeyDown={(event) => {
        const by = MOVES[event.key]
        if (by === undefined) return
        event.preventDefault()
        onMove(by)
      }}
    />
  )
}

function TileMenu({ name, change, isOwn }: { name: string; change: TileChange; isOwn: boolean }) {
  const [isRenaming, setIsRenaming] = useState(false)
  return (
    <>
      <MoreMenu
        label={`More about ${name}`.slice(0, 200)}
        actions={[
          { label: change.isWide ? 'Half the width' : 'Full width', run: change.onResize },
          { label: 'Move back', run: () => change.onMove(-1) },
          { label: 'Move on', run: () => change.onMove(1) },
          ...(isOwn ? [{ label: 'Rename…', run: () => setIsRenaming(true) }] : []),
          { label: 'Remove', danger: true, run: () => change.onRemove(name) },
        ]}
      />
      {isRenaming && (
        <TextForm
          title="Rename tile"
          initial={name}
          submit="Save"
          needsText
          send={async (text) => change.onRename(text)}
          onClose={() => setIsRenaming(false)}
        />
      )}
    </>
  )
}

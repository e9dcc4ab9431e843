import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, createLazyRoute } from '@tanstack/react-router'
import { type CSSProperties, useState } from 'react'
import { type Tile, changeDashboard, createDashboard, dashboardsQuery, deleteDashboard } from '../api/dashboards.ts'
import { hasTracesQuery } from '../api/trace.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { changed } from '../lib/search.ts'
import { inOrder, isWide, moved, resized, without } from '../lib/tile-layout.ts'
import { NO_RANGE, type TimeRange, readTimeRangeSearch, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { FiringMonitors } from '../monitors/firing-monitors.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Select } from '../ui/field.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { useToast } from '../ui/toasts.tsx'
import { useAction } from '../ui/use-action.ts'
import { PinnedView } from './pinned-view.tsx'
import type { HomeSearch } from './search.ts'
import { useDashboards, useMayChange, useSaveTiles } from './use-dashboard.ts'

export const route = createLazyRoute('/app/home')({ component: HomeScreen })

/** The start page of a project: pinned views with one range of time. */
function HomeScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { query, dashboards, dashboard } = useDashboards(search.dashboard)
  const { data: hasTraces } = useQuery(hasTracesQuery)
  // The list of traces has the ways to a first one.
  if (hasTraces === false) return <Navigate to="/app/traces" replace />
  const range = rangeOf(search, dashboard)
  const setRange = (next: TimeRange) =>
    void navigate({ search: changed<HomeSearch>(search, { ...NO_RANGE, ...toTimeRangeSearch(next) }) })
  const open = (id: string | undefined) =>
    void navigate({ search: changed<HomeSearch>(search, { dashboard: id === dashboards[0]?.id ? undefined : id }) })
  return (
    <>
      <PageHeader
        title={dashboard?.name ?? 'Overview'}
        actions={
          <>
            {dashboard !== undefined && dashboards.length > 1 && (
              <Select
                aria-label="Dashboard"
                className="w-auto! max-w-60"
                value={dashboard.id}
                onChoice={open}
                options={dashboards.map(({ id, name }) => [id, name])}
              />
            )}
            {dashboard !== undefined && <DashboardMenu dashboard={dashboard} onOpen={open} />}
            <TimeRangePicker value={range} onChange={setRange} />
          </>
        }
      />
      <FiringMonitors />
      <SenderBanner enabled={hasTraces === true} />
      <Loading query={query} />
      {dashboard !== undefined && <TileGrid key={dashboard.id} {...{ dashboard, range }} onRange={setRange} />}
    </>
  )
}

/** That of the address, else that of the dashboard. */
function rangeOf(search: HomeSearch, dashboard: Dashboard | undefined): TimeRange {
  const named = readTimeRangeSearch(search)
  const own = Object.keys(named).length === 0 ? readTimeRangeSearch({ range: dashboard?.range }) : named
  const range = toTimeRange(own, '24h')
  // A series has a start.
  return range.kind === 'all' ? toTimeRange({ range: '90d' }) : range
}

const REFRESH = [dashboardsQuery.queryKey]

/** `onOpen`: undefined for the first. */
function DashboardMenu({ dashboard, onOpen }: { dashboard: Dashboard; onOpen(id: string | undefined): void }) {
  const { id, name } = dashboard
  const maySave = useMay('ingest', 'manage')
  const mayChange = useMayChange()(dashboard)
  const [dialog, setDialog] = useState<'new' | 'rename' | 'delete' | null>(null)
  const close = () => setDialog(null)
  const deleting = useAction(() => deleteDashboard(id), {
    onSuccess: () => onOpen(undefined),
    refresh: REFRESH,
    said: 'Dashboard deleted',
  })
  if (!maySave) return null
  const form = { codes: { view_conflict: '/name' }, refresh: REFRESH, submit: 'Save', needsText: true, onClose: close }
  return (
    <>
      <MoreMenu
        label="More about this dashboard"
        actions={[
          { label: 'New dashboard…', run: () => setDialog('new') },
          ...(mayChange ? [{ label: 'Rename…', run: () => setDialog('rename') }] : []),
          // The first one has nothing to delete until it is changed.
          ...(mayChange && dashboard.created_by !== null
            ? [{ label: 'Delete…', danger: true, run: () => setDialog('delete') }]
            : []),
        ]}
      />
      {dialog === 'new' && (
        <TextForm
          title="New dashboard"
          description="Pin views to it from the traces screen. Everybody in this project sees it."
          send={(text) => createDashboard({ name: text, range: '24h', tiles: [] })}
          said="Dashboard created"
          onDone={(created) => onOpen(created.id)}
          {...form}
        />
      )}
      {dialog === 'rename' && (
        <TextForm
          title="Rename dashboard"
          initial={name}
          send={(text) => changeDashboard(id, { name: text })}
          said="Dashboard renamed"
          {...form}
        />
      )}
      <Confirm
        title={`Delete the dashboard “${name}”`}
        text="It is deleted for everybody in this project. Saved views and traces stay."
        confirm="Delete"
        open={dialog === 'delete'}
        onCancel={close}
        onConfirm={() => deleting.mutate()}
      />
    </>
  )
}

interface TileGridProps {
  readonly dashboard: Dashboard
  readonly range: TimeRange
  onRange(range: TimeRange): void
}

/** Tiles of a dashboard. Their order changes by drag, or by arrow keys on the handle of a tile. */
function TileGrid({ dashboard, range, onRange }: TileGridProps) {
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

import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changeDashboard, createDashboard, dashboardsQuery, deleteDashboard } from '../api/dashboards.ts'
import { hasTracesQuery } from '../api/trace.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, readTimeRangeSearch, type TimeRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { FiringMonitors } from '../monitors/firing-monitors.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Select } from '../ui/field.tsx'
import { MoreMenu } from '../ui/more-menu.tsx'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { Loading } from '../ui/states.tsx'
import { TextForm } from '../ui/text-form.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { useAction } from '../ui/use-action.ts'
import type { HomeSearch } from './search.ts'
import { TileGrid } from './tile-grid.tsx'
import { useDashboards, useMayChange } from './use-dashboard.ts'

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

import type { Dashboard } from '@spoor/contract/schemas/dashboard'
import { useQuery } from '@tanstack/react-query'
import { createLazyRoute, Navigate } from '@tanstack/react-router'
import { hasTracesQuery } from '../api/trace.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, readTimeRangeSearch, type TimeRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { FiringMonitors } from '../monitors/firing-monitors.tsx'
import { Select } from '../ui/field.tsx'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { Loading } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { DashboardMenu } from './dashboard-menu.tsx'
import type { HomeSearch } from './search.ts'
import { TileGrid } from './tile-grid.tsx'
import { useDashboards } from './use-dashboard.ts'

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

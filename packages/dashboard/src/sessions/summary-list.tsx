import type { TraceSession, TraceUser } from '@spoor/contract/schemas/traces/trace-summary'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { listQuery } from '../api/summaries.ts'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { changed } from '../lib/search.ts'
import { DEFAULT_RANGE, NO_RANGE, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { isFiltered } from '../traces/filters/feed-filters.ts'
import { FilterBar, type FilterBarProps } from '../traces/filters/filter-bar.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { seriesFilters } from '../traces/list/feed-request.ts'
import { NoMatch } from '../traces/list/no-match.tsx'
import { ExportMenu } from '../ui/export-menu.tsx'
import { More } from '../ui/more.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, Loading } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { type SummarySearch, sortedBy } from './search.ts'
import { toSummaryRequest } from './summary-request.ts'
import { SummaryTable } from './summary-table.tsx'
import { useActivity, useErrors } from './use-activity.ts'

/** How a trace names what is listed, and the time range of a URL without one. */
const LISTS = {
  sessions: { title: 'Sessions', field: 'session_id', otherwise: 'all' },
  users: { title: 'Users', field: 'user_id', otherwise: DEFAULT_RANGE },
} as const

/** Has room for the traces over time of each row. */
const WIDE = '(min-width: 80rem)'

export function SummaryList({ of }: { of: keyof typeof LISTS }) {
  const { title, field, otherwise } = LISTS[of]
  const search = useSearch({ from: `/app/${of}` })
  const navigate = useNavigate({ from: `/app/${of}` as '/app/sessions' })
  const onSearch = (next: SummarySearch, how?: { replace: boolean }) => void navigate({ search: next, ...how })
  // A change of filters leaves the order as it is.
  const { sort, ...filters } = search
  const onFilters: FilterBarProps['onChange'] = ({ sort: _sort, ...next }, how) =>
    onSearch(sort === undefined ? next : { ...next, sort }, how)
  const query = useInfiniteQuery(listQuery(of, toSummaryRequest(search, otherwise)))
  const pages = query.data?.pages.map((page) => ('sessions' in page ? page.sessions : page.users))
  const rows = pages?.flatMap<TraceSession | TraceUser>((page) => page)
  const count = rows?.length ?? 0
  const [adding, setAdding] = useState(false)
  const searchRef = useRef<HTMLInputElement>(null)
  useShortcuts(title, {
    '/': { does: 'Search', run: () => searchRef.current?.focus() },
    f: { does: 'Add a filter', run: () => setAdding(true) },
  })
  const range = toTimeRange(search, otherwise)
  const isWide = useMediaQuery(WIDE)
  const listed = { field, of: seriesFilters(filters), range } as const
  const activity = useActivity(isWide && pages !== undefined ? pages : [], listed)
  const errors = useErrors(pages ?? [], listed)
  const shown = { ...filters, ...toTimeRangeSearch(range) }
  const traces = changed<FeedSearch>(shown, { order: undefined })
  const openError = (id: string, error_type: string) =>
    void navigate({ to: '/app/traces', search: { ...traces, [field]: id, status: 'error', error_type } })
  const narrowed = isFiltered(filters) || range.kind !== 'all'
  return (
    <>
      <PageHeader
        title={title}
        meta={<Tabs />}
        actions={
          <>
            <ExportMenu what="traces" request={{ ...seriesFilters(filters), range }} />
            <TimeRangePicker
              all
              value={range}
              onChange={(next) => onSearch(changed(search, { ...NO_RANGE, ...toTimeRangeSearch(next) }))}
            />
          </>
        }
      />
      <FilterBar
        search={filters}
        onChange={onFilters}
        searchRef={searchRef}
        adding={adding}
        onAdding={setAdding}
        narrow={false}
      />
      <Loading query={query} />
      {rows?.length === 0 && narrowed && <NoMatch search={shown} onChange={onFilters} />}
      {rows?.length === 0 && !narrowed && (
        <EmptyState title={`No ${title.toLowerCase()} yet`}>
          Send <code className="font-mono">{field}</code> with your traces, and they are collected here.
        </EmptyState>
      )}
      {rows !== undefined && count > 0 && (
        <div aria-busy={query.isPlaceholderData} className="aria-busy:opacity-60">
          <SummaryTable
            of={of}
            rows={rows}
            listKey={query.isPlaceholderData ? null : JSON.stringify(traces)}
            errors={errors}
            onError={openError}
            activity={isWide ? activity : undefined}
            search={search}
            onSort={(by) => onSearch(sortedBy(search, by))}
          />
          <More query={query} end={`End of list: ${count} ${title.toLowerCase()}.`} />
        </div>
      )}
    </>
  )
}

function Tabs() {
  const link = 'hover:text-ink rounded-md px-2 py-1 font-medium'
  return (
    <nav aria-label="Lists" className="flex gap-1">
      <Link to="/app/sessions" className={link} activeProps={{ className: 'bg-selected text-ink!' }}>
        By session
      </Link>
      <Link to="/app/users" className={link} activeProps={{ className: 'bg-selected text-ink!' }}>
        By user
      </Link>
    </nav>
  )
}

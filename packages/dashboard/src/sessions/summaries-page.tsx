import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { type LastRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { isFiltered } from '../traces/filters/feed-filters.ts'
import { FilterBar } from '../traces/filters/filter-bar.tsx'
import type { FeedSearch } from '../traces/filters/search.ts'
import { NoMatch } from '../traces/list/no-match.tsx'
import { More } from '../ui/more.tsx'
import { PageHeader } from '../ui/page.tsx'
import { EmptyState, ErrorState, SkeletonRows } from '../ui/states.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'

interface SummariesPageProps {
  readonly title: 'Sessions' | 'Users'
  readonly search: FeedSearch
  onSearch(next: FeedSearch, how?: { replace: boolean }): void
  readonly query: Parameters<typeof More>[0]['query'] & { readonly isPlaceholderData: boolean; refetch(): unknown }
  readonly count: number
  /** How a trace names what is listed. */
  readonly field: 'session_id' | 'user_id'
  /** The time range of a URL without one. */
  readonly otherwise: LastRange | 'all'
  readonly children: ReactNode
}

/** The frame of the lists of sessions and users: the filters of traces, and the pages. */
export function SummariesPage({
  title,
  search,
  onSearch,
  query,
  count,
  field,
  otherwise,
  children,
}: SummariesPageProps) {
  const [adding, setAdding] = useState(false)
  const searchRef = useRef<HTMLInputElement>(null)
  useShortcuts(title, {
    '/': { does: 'Search', run: () => searchRef.current?.focus() },
    f: { does: 'Add a filter', run: () => setAdding(true) },
  })
  const { range: _range, from: _from, to: _to, ...ofAllTime } = search
  const range = toTimeRange(search, otherwise)
  const shown = { ...search, ...toTimeRangeSearch(range) }
  const narrowed = isFiltered(search) || range.kind !== 'all'
  return (
    <>
      <PageHeader
        title={title}
        meta={<Tabs />}
        actions={
          <TimeRangePicker
            all
            value={range}
            onChange={(next) => onSearch({ ...ofAllTime, ...toTimeRangeSearch(next) })}
          />
        }
      />
      <FilterBar
        search={search}
        onChange={onSearch}
        searchRef={searchRef}
        adding={adding}
        onAdding={setAdding}
        narrow={false}
      />
      {query.data === undefined && query.error === null && <SkeletonRows />}
      {query.data === undefined && query.error !== null && <ErrorState error={query.error} onRetry={query.refetch} />}
      {query.data !== undefined && count === 0 && narrowed && <NoMatch search={shown} onChange={onSearch} />}
      {query.data !== undefined && count === 0 && !narrowed && (
        <EmptyState title={`No ${title.toLowerCase()} yet`}>
          <p>
            Send <code className="font-mono">{field}</code> with your traces, and they are collected here.
          </p>
        </EmptyState>
      )}
      {count > 0 && (
        <div className={query.isPlaceholderData ? 'opacity-60' : ''}>
          {children}
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

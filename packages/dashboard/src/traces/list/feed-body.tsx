import { useInfiniteQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { asApiError } from '../../api/client/api-error.ts'
import { type FeedRequest, feedQuery, PAGES_MAX } from '../../api/client/feed.ts'
import { formatCount } from '../../lib/format-number.ts'
import { growthOf, RUNNING } from '../../lib/growth.ts'
import { useMay } from '../../lib/hooks/use-session.ts'
import { OfScreen } from '../../lib/hooks/use-shortcuts.ts'
import { changed } from '../../lib/search.ts'
import { toTimeRange } from '../../lib/time-range.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { useCopy } from '../../ui/copy-button.tsx'
import { isFiltered, withFilter } from '../filters/feed-filters.ts'
import { FirstTrace } from '../first-trace/first-trace.tsx'
import { MarkedBar } from '../marked/marked-bar.tsx'
import { useFilledLook } from './filled-look.ts'
import type { ListLook } from './list-look.ts'
import { NoMatch } from './no-match.tsx'
import type { FeedSearch } from '../filters/search.ts'
import { rowShape } from './row-shape.ts'
import { withSortBy } from './sort-choice.ts'
import { TableHeader } from './table-header.tsx'
import { CARD_PX } from './trace-card.tsx'
import { TraceList, type TraceListProps } from './trace-list.tsx'
import { OfferValuesProvider, ValueMenu, type ValueOffer } from '../filters/value-offer.tsx'

type Shared = Pick<TraceListProps, 'search' | 'look' | 'narrow' | 'scrollRef' | 'listed' | 'onInUse'>

interface FeedBodyProps extends Shared {
  readonly request: FeedRequest
  /** Changes are shown without a request. */
  readonly automatic: boolean
  onChange(next: FeedSearch): void
  onRefresh(): void
  /** Called with whether the project has no traces. */
  onNew(isNew: boolean): void
  /** Called after the first render of a response. */
  onListed(listed: true): void
}

/** No event says that a run has ended, so a list with running ones is read again this often. */
const RUNNING_MS = 5000

const NO_ORDER = { sort: undefined, order: undefined }

export function FeedBody({ request, automatic, onChange, onRefresh, onNew, onListed, ...shared }: FeedBodyProps) {
  const { search, narrow, scrollRef } = shared
  const copy = useCopy()
  const [offer, setOffer] = useState<ValueOffer | null>(null)
  const mayMark = useMay('ingest', 'manage')
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const query = useInfiniteQuery(feedQuery(request))
  const { data, error, isPlaceholderData, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query
  const rows = useMemo(() => data?.pages.flatMap(({ traces }) => traces) ?? [], [data])
  const full = (data?.pages.length ?? 0) >= PAGES_MAX && data?.pages.at(-1)?.next_cursor !== null
  const more = useCallback(() => void fetchNextPage({ cancelRefetch: false }), [fetchNextPage])
  const mayReadOn = hasNextPage && !isFetchingNextPage && !isFetchNextPageError && !isPlaceholderData
  const nothing = data !== undefined && !isPlaceholderData && rows.length === 0 && !hasNextPage
  const isNew = nothing && !isFiltered(search) && toTimeRange(search, 'all').kind === 'all'
  useLayoutEffect(() => onNew(isNew), [isNew, onNew])
  const hasRunning = rows.some((row) => growthOf(row, Date.now()) === RUNNING)
  useEffect(() => {
    if (!automatic || !hasRunning) return
    const timer = setInterval(onRefresh, RUNNING_MS)
    return () => clearInterval(timer)
  }, [automatic, hasRunning, onRefresh])
  const answered = data !== undefined || error !== null
  useEffect(() => {
    if (!answered) return
    let afterPaint: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => (afterPaint = setTimeout(() => onListed(true))))
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(afterPaint)
    }
  }, [answered, onListed])

  const listKey = JSON.stringify(request)
  // In another order, the list has the same rows.
  const rowsKey = JSON.stringify({ ...request, filters: { ...request.filters, ...NO_ORDER }, metricValues: null })
  const look = useFilledLook(shared.look, isPlaceholderData ? null : rowsKey, rows, search.sort)
  // A new list starts at its top, unless the router restores a scroll position.
  const before = useRef(listKey)
  useEffect(() => {
    if (before.current !== listKey) {
      scrollRef.current?.scrollTo({ top: 0 })
      setMarked(new Set())
    }
    before.current = listKey
  }, [listKey, scrollRef])

  const instead = (() => {
    if (data === undefined && error === null) return <LoadingList look={look} narrow={narrow} search={search} />
    if (data === undefined || (error !== null && !isFetchNextPageError)) {
      return <ErrorState error={error} onRetry={query.refetch} />
    }
    if (isNew) return <FirstTrace />
    return nothing ? <NoMatch search={search} onChange={onChange} /> : null
  })()
  if (instead !== null) return <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">{instead}</div>
  return (
    <OfferValuesProvider value={setOffer}>
      <div
        aria-busy={isPlaceholderData}
        className="flex min-h-0 flex-1 flex-col transition-opacity aria-busy:opacity-60"
      >
        <TraceList
          {...shared}
          look={look}
          rows={rows}
          listKey={listKey}
          onMore={mayReadOn ? more : null}
          onSort={(sort) => onChange(withSortBy(search, sort))}
          onOffer={setOffer}
          onEscape={() => search.q !== undefined && onChange(changed(search, { q: undefined }))}
          marked={mayMark && !narrow ? marked : null}
          onMark={setMarked}
          end={
            <ListEnd
              count={rows.length}
              hasMore={hasNextPage}
              full={full}
              error={isFetchNextPageError ? error : null}
              onMore={more}
              onReload={onRefresh}
            />
          }
        />
        {marked.size > 0 && !narrow && (
          <OfScreen value>
            <MarkedBar
              ids={[...marked]}
              rows={rows.filter(({ id }) => marked.has(id))}
              onLeft={(ids) => setMarked(new Set(ids))}
            />
          </OfScreen>
        )}
      </div>
      <ValueMenu
        offer={offer}
        onFilter={(filter) => onChange(withFilter(search, filter))}
        onCopy={(text) => void copy(text)}
        onClose={() => setOffer(null)}
      />
    </OfferValuesProvider>
  )
}

const ROWS = 14

/** The list before its rows: as high and wide as they will be, so that nothing moves when they come. */
function LoadingList({ look, narrow, search }: { look: ListLook; narrow: boolean; search: FeedSearch }) {
  const shape = rowShape(look)
  const height = narrow ? CARD_PX : shape.rowPx
  return (
    <div role="status" aria-label="Loading" className="min-h-0 flex-1 overflow-hidden">
      <div aria-hidden inert style={narrow ? {} : { minWidth: shape.leastWidthPx }}>
        {!narrow && <TableHeader shape={shape} search={search} onSort={() => undefined} marking={null} />}
        {Array.from({ length: ROWS }, (_, row) => (
          <div key={row} style={{ height }} className="flex flex-col justify-center gap-2 border-b px-4">
            <div className="bg-hover h-4 w-2/5 rounded" />
            {height > 40 && <div className="bg-hover h-4 w-4/5 rounded" />}
          </div>
        ))}
      </div>
    </div>
  )
}

interface ListEndProps {
  readonly count: number
  readonly hasMore: boolean
  /** The list holds the maximum number of rows. */
  readonly full: boolean
  readonly error: Error | null
  onMore(): void
  /** Reloads the list from the start. */
  onReload(): void
}

function ListEnd({ count, hasMore, full, error, onMore, onReload }: ListEndProps) {
  if (error !== null) {
    const { message, code } = asApiError(error)
    const expired = code === 'cursor_expired' || code === 'invalid_cursor'
    return (
      <div role="alert" className="text-muted flex flex-wrap items-center justify-center gap-3 p-4 text-sm">
        <span className="break-words">{message}</span>
        <Button onClick={expired ? onReload : onMore}>{expired ? 'Reload the list' : 'Try again'}</Button>
      </div>
    )
  }
  if (hasMore) {
    return (
      <div role="status" aria-label="Loading more" className="space-y-2 px-4 py-2">
        <Skeleton className="h-6" />
        <Skeleton className="h-6" />
      </div>
    )
  }
  return (
    <p className="text-muted p-4 text-center text-sm">
      {full
        ? `Showing ${formatCount(count)} traces, the maximum of this page. Choose a time range or filter to see others.`
        : count === 1
          ? '1 trace'
          : `End of list: ${formatCount(count)} traces.`}
    </p>
  )
}

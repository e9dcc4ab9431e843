import { createLazyRoute } from '@tanstack/react-router'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { feedQuery } from '../api/client/feed.ts'
import { changed } from '../lib/search.ts'
import { NO_RANGE, type TimeRange, toTimeRange, toTimeRangeSearch } from '../lib/time-range.ts'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useMay } from '../lib/hooks/use-session.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { PageHeader } from '../ui/page.tsx'
import { SenderBanner } from '../ui/sender-banner.tsx'
import { TimeRangePicker } from '../ui/time-range-picker.tsx'
import { ColumnsMenu } from './list/columns-menu.tsx'
import { FeedBody } from './list/feed-body.tsx'
import { withFilter, withoutFilter } from './filters/feed-filters.ts'
import { reachesNow, takesAllOnTop, toFeedRequest, withMetrics } from './list/feed-request.ts'
import { FilterBar } from './filters/filter-bar.tsx'
import { HistogramPanel } from './histogram/histogram-panel.tsx'
import { type ListLook, type LookSearch, shownLook, storeLook, toLookSearch } from './list/list-look.ts'
import { LiveButton } from './list/live-button.tsx'
import { NewPill } from './list/new-pill.tsx'
import { ReviewMenu } from './review-menu.tsx'
import type { FeedSearch } from './filters/search.ts'
import { useLiveFeed } from './list/use-live-feed.ts'
import { isChanged } from './views/view-search.ts'
import { useOpenView } from './views/use-open-view.ts'
import { ViewsMenu } from './views/views-menu.tsx'
import { varyingKeys } from './list/varying-keys.ts'

export const route = createLazyRoute('/app/traces')({ component: TracesScreen })

/** Narrower windows get cards. */
const NARROW = '(max-width: 47.99rem)'

function TracesScreen() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const narrow = useMediaQuery(NARROW)
  const queries = useQueryClient()
  const { columns, lines } = search
  const look = useMemo(() => shownLook({ columns, lines } as LookSearch, localStorage), [columns, lines])
  const [adding, setAdding] = useState(false)
  const [inUse, setInUse] = useState(false)
  const [isNew, setIsNew] = useState(false)
  const [listed, setListed] = useState(false)
  const searchRef = useRef<HTMLInputElement>(null)
  const scrollRef = useRef<HTMLDivElement>(null)
  const change = (next: FeedSearch, { replace = false } = {}) => void navigate({ search: next, replace })

  const view = useOpenView(search)
  const mayScore = useMay('ingest')
  const live = search.live !== false
  const now = Date.now()
  const onTop = takesAllOnTop(search, now)
  const automatic = live && onTop && !inUse
  const feedRequest = withMetrics(toFeedRequest(search), look)
  const feed = useLiveFeed({ feedRequest, reachesNow: reachesNow(search, now), automatic })
  const { refresh } = feed
  const showNew = useCallback(() => {
    void refresh().then(() => scrollRef.current?.scrollTo({ top: 0 }))
  }, [refresh])
  const setLive = (next: boolean) => change(changed(search, { live: next ? undefined : false }), { replace: true })
  const setLook = (next: ListLook) => {
    storeLook(localStorage, next)
    change({ ...search, ...toLookSearch(next) }, { replace: true })
  }
  const setRange = (range: TimeRange) => change(changed(search, { ...NO_RANGE, ...toTimeRangeSearch(range) }))
  const errors = { kind: 'field', field: 'status', value: 'error' } as const
  useShortcuts('Trace list', {
    '/': { does: 'Search', run: () => searchRef.current?.focus() },
    f: { does: 'Add a filter', run: () => setAdding(true) },
    e: {
      does: 'Show failed only, or all',
      run: () => change(search.status === 'error' ? withoutFilter(search, errors) : withFilter(search, errors)),
    },
    n: { does: 'Show new traces', run: showNew },
    p: { does: 'Pause or resume live', run: () => setLive(!live) },
  })

  const pill = <NewPill arrivals={feed.arrivals} filtered={!onTop} automatic={automatic} onShow={showNew} />
  return (
    <div className="relative flex-1">
      <div className="absolute inset-0 flex flex-col">
        <PageHeader
          title={view?.name ?? 'Traces'}
          {...(view !== undefined && isChanged(search, view) ? { meta: 'changed' } : {})}
          actions={
            <>
              <ViewsMenu search={search} view={view} onChange={change} />
              {mayScore && !isNew && <ReviewMenu request={toFeedRequest(search)} />}
              <LiveButton
                live={live}
                tail={feed.tail}
                reachesNow={reachesNow(search, now)}
                onTop={onTop}
                onChange={setLive}
              />
              <TimeRangePicker all value={toTimeRange(search, 'all')} onChange={setRange} />
              {!narrow && (
                <ColumnsMenu
                  look={look}
                  offeredKeys={() => {
                    const loaded = queries.getQueryData(feedQuery(feed.request).queryKey)
                    return varyingKeys(loaded?.pages.flatMap(({ traces }) => traces) ?? [])
                  }}
                  onChange={setLook}
                />
              )}
            </>
          }
        />
        {!isNew && (
          <>
            <SenderBanner enabled={listed} />
            <FilterBar
              search={search}
              onChange={change}
              searchRef={searchRef}
              adding={adding}
              onAdding={setAdding}
              narrow={narrow}
            />
            <div className="relative">
              {pill}
              <HistogramPanel request={feed.request} listed={listed} onRange={setRange} />
            </div>
          </>
        )}
        <div className="relative flex min-h-0 flex-1 flex-col">
          {isNew && pill}
          <FeedBody
            request={feed.request}
            search={search}
            look={look}
            narrow={narrow}
            scrollRef={scrollRef}
            automatic={automatic}
            onChange={change}
            onRefresh={showNew}
            onInUse={setInUse}
            onNew={setIsNew}
            listed={listed}
            onListed={setListed}
          />
        </div>
      </div>
    </div>
  )
}

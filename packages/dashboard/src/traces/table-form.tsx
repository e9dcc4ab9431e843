import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { feedQuery } from '../api/client/feed.ts'
import { useMediaQuery } from '../lib/hooks/use-media-query.ts'
import { useShortcuts } from '../lib/hooks/use-shortcuts.ts'
import { changed } from '../lib/search.ts'
import type { TimeRange } from '../lib/time-range.ts'
import type { FeedSearch } from './filters/search.ts'
import { HistogramPanel } from './histogram/histogram-panel.tsx'
import { ColumnsMenu } from './list/columns-menu.tsx'
import { FeedBody } from './list/feed-body.tsx'
import { reachesNow, takesAllOnTop, toFeedRequest, withMetrics } from './list/feed-request.ts'
import { FITS_ONE_LINE, type ListLook, type LookSearch, shownLook, storeLook, toLookSearch } from './list/list-look.ts'
import { LiveButton } from './list/live-button.tsx'
import { NewPill } from './list/new-pill.tsx'
import { useLiveFeed } from './list/use-live-feed.ts'
import { varyingKeys } from './list/varying-keys.ts'

interface TableFormProps {
  readonly search: FeedSearch
  readonly narrow: boolean
  /** Where its buttons are; null until that is shown. */
  readonly actions: HTMLElement | null
  /** Whether the project has no traces. */
  readonly isNew: boolean
  onNew(isNew: boolean): void
  onListed(listed: true): void
  readonly listed: boolean
  onChange(next: FeedSearch, how?: { replace: boolean }): void
  onRange(range: TimeRange): void
}

/** The query as a list of traces that follows new ones, below their number over time. */
export function TableForm({ search, narrow, actions, isNew, onChange, onRange, ...body }: TableFormProps): ReactNode {
  const queries = useQueryClient()
  const { columns, lines } = search
  const fitsOneLine = useMediaQuery(FITS_ONE_LINE)
  const look = useMemo(
    () => shownLook({ columns, lines } as LookSearch, localStorage, fitsOneLine),
    [columns, lines, fitsOneLine],
  )
  const [inUse, setInUse] = useState(false)
  const scrollRef = useRef<HTMLDivElement>(null)
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
  const setLive = (next: boolean) => onChange(changed(search, { live: next ? undefined : false }), { replace: true })
  const setLook = (next: ListLook) => {
    storeLook(localStorage, next)
    onChange({ ...search, ...toLookSearch(next) }, { replace: true })
  }
  useShortcuts('Trace list', {
    n: { does: 'Show new traces', run: showNew },
    p: { does: 'Pause or resume live', run: () => setLive(!live) },
  })
  const pill = <NewPill arrivals={feed.arrivals} filtered={!onTop} automatic={automatic} onShow={showNew} />
  const buttons = (
    <>
      <LiveButton live={live} tail={feed.tail} reachesNow={reachesNow(search, now)} onTop={onTop} onChange={setLive} />
      {!narrow && (
        <ColumnsMenu
          look={look}
          sort={search.sort}
          offeredKeys={() => {
            const loaded = queries.getQueryData(feedQuery(feed.request).queryKey)
            return varyingKeys(loaded?.pages.flatMap(({ traces }) => traces) ?? [])
          }}
          onChange={setLook}
        />
      )}
    </>
  )
  return (
    <>
      {actions !== null && createPortal(buttons, actions)}
      {!isNew && (
        <div className="relative">
          {pill}
          <HistogramPanel request={feed.request} listed={body.listed} onRange={onRange} />
        </div>
      )}
      <div className="relative flex min-h-0 flex-1 flex-col">
        {isNew && pill}
        <FeedBody
          {...body}
          request={feed.request}
          search={search}
          look={look}
          narrow={narrow}
          scrollRef={scrollRef}
          automatic={automatic}
          onChange={onChange}
          onRefresh={showNew}
          onInUse={setInUse}
        />
      </div>
    </>
  )
}

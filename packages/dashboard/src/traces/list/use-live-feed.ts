import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { type FeedRequest, feedQuery, refetchFeed } from '../../api/client/feed.ts'
import { useTail } from '../../api/tail.ts'
import { BROWSER_TIMERS, pace } from '../../lib/pace.ts'
import { Arrivals } from './arrivals.ts'

/** However many traces arrive, the list is refetched at most this often, and the histogram less often. */
const LIST_MS = 2000
const HISTOGRAM_MS = 10_000
/** On return, a list read longer ago is refetched. */
const FRESH_MS = 2000

interface LiveFeedOptions {
  readonly feedRequest: FeedRequest
  /** Whether new traces can belong to the list. */
  readonly reachesNow: boolean
  /** Whether they are shown without a request. */
  readonly automatic: boolean
}

/** Counts new traces and refetches the first page: automatically if nobody is disturbed, else on request. */
export function useLiveFeed({ feedRequest, reachesNow, automatic }: LiveFeedOptions) {
  const queryClient = useQueryClient()
  const [arrivals] = useState(() => new Arrivals(BROWSER_TIMERS.after))
  // An equal request keeps its identity.
  const key = JSON.stringify(feedRequest)
  const request = useMemo(() => JSON.parse(key) as FeedRequest, [key])
  const tail = useTail(reachesNow, { onTrace: () => arrivals.add(), onGap: () => arrivals.lose() })
  const histogram = useMemo(
    () => pace(HISTOGRAM_MS, () => queryClient.invalidateQueries({ queryKey: ['feed-histogram'] }), BROWSER_TIMERS),
    [queryClient],
  )

  const refresh = useCallback(async () => {
    const before = arrivals.clear()
    try {
      queryClient.setQueryData(feedQuery(request).queryKey, await refetchFeed(request))
      histogram.schedule()
    } catch {
      // The list stays unchanged, and shows that it is old.
      arrivals.restore({ ...before, uncertain: true })
    }
  }, [arrivals, histogram, queryClient, request])

  const comeBack = useEffectEvent((pages: number) => {
    // A reader who returns to a place further down is not moved to the top.
    if (pages === 1) void refresh()
    else arrivals.lose()
  })
  useEffect(() => {
    arrivals.clear()
    const known = queryClient.getQueryState(feedQuery(request).queryKey)
    if (known?.data !== undefined && Date.now() - known.dataUpdatedAt > FRESH_MS) comeBack(known.data.pages.length)
  }, [arrivals, queryClient, request])

  useEffect(() => {
    if (!automatic) return
    const list = pace(LIST_MS, refresh, BROWSER_TIMERS)
    const showArrivals = () => {
      const { count, uncertain } = arrivals.shown()
      if (count > 0 || uncertain) list.schedule()
    }
    showArrivals()
    const leave = arrivals.subscribe(showArrivals)
    return () => {
      leave()
      list.cancel()
    }
  }, [automatic, arrivals, refresh])
  return { arrivals, tail, refresh, request }
}

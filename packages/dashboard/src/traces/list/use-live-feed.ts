import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react'
import { type FeedRequest, feedQuery, readFeedAnew } from '../../api/client/feed.ts'
import { useTail } from '../../api/tail.ts'
import { BROWSER_TIMERS, pace } from '../../lib/pace.ts'
import { Arrivals } from './arrivals.ts'

/** However many traces come: one request for the list so often, and one for the histogram. */
const LIST_MS = 2000
const HISTOGRAM_MS = 10_000
/** A list that was read longer ago is read again when it is come back to. */
const FRESH_MS = 2000

interface LiveFeedOptions {
  readonly asked: FeedRequest
  /** Whether traces that come can be in the list at all. */
  readonly reachesNow: boolean
  /** Whether they are put on top of it without being asked for. */
  readonly automatic: boolean
}

/**
 * Counts what comes, and reads the first page again: by itself where that disturbs nobody, else when it is asked to.
 */
export function useLiveFeed({ asked, reachesNow, automatic }: LiveFeedOptions) {
  const queryClient = useQueryClient()
  const [arrivals] = useState(() => new Arrivals(BROWSER_TIMERS.after))
  // The same request is the same object, however often the screen is drawn.
  const key = JSON.stringify(asked)
  const request = useMemo(() => JSON.parse(key) as FeedRequest, [key])
  const tail = useTail(reachesNow, { onTrace: () => arrivals.add(), onGap: () => arrivals.lose() })
  const histogram = useMemo(
    () => pace(HISTOGRAM_MS, () => queryClient.invalidateQueries({ queryKey: ['feed-histogram'] }), BROWSER_TIMERS),
    [queryClient],
  )

  const refresh = useCallback(async () => {
    const before = arrivals.clear()
    try {
      queryClient.setQueryData(feedQuery(request).queryKey, await readFeedAnew(request))
      histogram.ask()
    } catch {
      // The list stays as it was, and says that it is old.
      arrivals.restore({ ...before, uncertain: true })
    }
  }, [arrivals, histogram, queryClient, request])

  const comeBack = useEffectEvent((pages: number) => {
    // Who comes back to a place further down is not thrown to the top.
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
    const look = () => {
      const { count, uncertain } = arrivals.shown()
      if (count > 0 || uncertain) list.ask()
    }
    look()
    const leave = arrivals.subscribe(look)
    return () => {
      leave()
      list.cancel()
    }
  }, [automatic, arrivals, refresh])
  return { arrivals, tail, refresh, request }
}

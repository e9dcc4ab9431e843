import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { type FeedRequest, feedQuery } from '../../api/client/feed.ts'
import type { Tab } from '../search.ts'
import { readOrigin } from './trace-origin.ts'

const LIST = '/app/traces'
/** Never requested. */
const NO_LIST: FeedRequest = { filters: {}, metadata: [], range: { kind: 'all' } }

export type Origin = ReturnType<typeof useOrigin>

/** The list from which the trace was opened. `tab` is kept in the neighbouring traces. */
export function useOrigin(traceId: string, tab: Tab) {
  const router = useRouter()
  const navigate = useNavigate()
  const openTrace = useOpenTrace(tab)
  const origin = readOrigin(sessionStorage)
  const isList = origin !== null && origin.list !== null
  const list = feedQuery(origin?.list ?? NO_LIST)
  // The list as the reader left it: read again only if it was forgotten.
  const known = useQueryClient().getQueryData(list.queryKey) !== undefined
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({ ...list, enabled: isList && !known })
  const ids = isList ? (data?.pages.flatMap(({ traces }) => traces.map(({ id }) => id)) ?? []) : []
  const at = ids.indexOf(traceId)
  const open = (id: string | undefined) => (id === undefined ? null : () => void openTrace(id))
  const more = async () => {
    const { data: read } = await fetchNextPage()
    open(read?.pages.flatMap(({ traces }) => traces)[at + 1]?.id)?.()
  }
  const atEnd = at !== -1 && at === ids.length - 1
  return {
    /** Where the reader came from: "traces". */
    name: origin === null || isList ? 'traces' : (origin.path.split('/')[2] ?? 'Spoor'),
    /** Back to it, with its filters and place. */
    leave: () => {
      const here = router.state.location.state.__TSR_index
      if (origin !== null && here > origin.index) router.history.go(origin.index - here)
      else if (origin !== null) router.history.push(origin.href)
      else void navigate({ to: LIST })
    },
    /** The neighbouring traces of the list; null at its ends, and without a list. */
    previous: at > 0 ? open(ids[at - 1]) : null,
    next: at === -1 ? null : atEnd ? (hasNextPage && !isFetching ? () => void more() : null) : open(ids[at + 1]),
  }
}

/** Opens another trace in the same tab. The list stays the page before. */
export function useOpenTrace(tab: Tab): (traceId: string) => Promise<void> {
  const navigate = useNavigate()
  const search = tab === 'steps' ? {} : { tab }
  return (traceId) => navigate({ to: '/app/traces/$traceId', params: { traceId }, search, replace: true })
}

import type { QueryClient } from '@tanstack/react-query'
import { type FeedRequest, fetchPage, type PageStart } from './client/feed.ts'

/** Pages read so far. A trace that is scored meanwhile keeps its place, so that the next one is known. */
interface Queue {
  readonly ids: readonly string[]
  /** Where the next page starts; null at the end of the list. */
  readonly next: { readonly start: PageStart | null } | null
}

/** A page of the list; null for the first one. */
type ReadPage = (
  feedRequest: FeedRequest,
  start: PageStart | null,
) => Promise<Pick<Awaited<ReturnType<typeof fetchPage>>, 'next_cursor' | 'bounds'> & { traces: { id: string }[] }>

const KEY = 'unscored'
const NOTHING_READ: Queue = { ids: [], next: { start: null } }

/**
 * The next trace of a list without an event of the metric: after `after`, or the first if that is not among them.
 * Leaves out those that `isDone`. Null if there are no more.
 */
export async function findUnscored(
  queryClient: QueryClient,
  list: FeedRequest,
  metric: string,
  after: string | null = null,
  isDone: (traceId: string) => boolean = () => false,
  readPage: ReadPage = fetchPage,
): Promise<string | null> {
  const { without_metric: filtered = metric } = list.filters
  const feedRequest: FeedRequest = { ...list, filters: { ...list.filters, without_metric: filtered } }
  const queryKey = [KEY, feedRequest]
  // Reading one trace may take long.
  queryClient.setQueryDefaults([KEY], { gcTime: Infinity })
  let queue = queryClient.getQueryData<Queue>(queryKey) ?? NOTHING_READ
  for (;;) {
    const place = after === null ? -1 : queue.ids.indexOf(after)
    const found = queue.ids.slice(place + 1).find((id) => id !== after && !isDone(id))
    if (found !== undefined) return found
    if (queue.next === null) return null
    const { traces, next_cursor: cursor, bounds } = await readPage(feedRequest, queue.next.start)
    queue = {
      ids: [...queue.ids, ...traces.map(({ id }) => id)],
      next: cursor === null ? null : { start: { cursor, bounds } },
    }
    queryClient.setQueryData(queryKey, queue)
  }
}

/** The list is read anew when a trace is next looked for. */
export function forgetUnscored(queryClient: QueryClient): void {
  queryClient.removeQueries({ queryKey: [KEY] })
}

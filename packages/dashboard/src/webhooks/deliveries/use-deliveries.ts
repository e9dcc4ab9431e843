import type { Delivery, DeliveryList, DeliveryQuery } from '@spoor/contract/schemas/delivery'
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { deliveriesKey, listDeliveries } from '../../api/deliveries.ts'
import type { WebhookPlace } from '../../api/webhooks.ts'
import { mergeHead } from './merge-head.ts'

const PAGE = 50
/** Rows of the first page that are polled, enough to find the shown ones below some new rows. */
const HEAD = 100
const REFRESH_MS = { pending: 3000, quiet: 6000 }

export type DeliveryFilters = Omit<DeliveryQuery, 'limit' | 'cursor'>
type Pages = InfiniteData<DeliveryList, string | null>

const hasPending = (list: DeliveryList | undefined) =>
  list?.deliveries.some(({ status }) => status === 'pending') === true

/**
 * Deliveries page by page, newest first. Shown rows keep their place and are updated. New ones wait until the reader
 * shows them.
 */
export function useDeliveries(
  webhook: WebhookPlace,
  filters: DeliveryFilters,
  /** The open delivery: the new rows are shown once it is among them. */
  openId: string | undefined,
  /** The page that is refreshed besides the first. */
  pageInView: number,
) {
  const queryClient = useQueryClient()
  const listKey = useMemo(() => [...deliveriesKey(webhook), 'list', filters], [webhook.project_id, webhook.id, filters])
  const list = useInfiniteQuery({
    queryKey: listKey,
    staleTime: Infinity,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listDeliveries(
        webhook,
        { ...filters, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const { data } = list
  const head = useQuery({
    queryKey: [...deliveriesKey(webhook), 'head', filters],
    enabled: data !== undefined,
    queryFn: ({ signal }) => listDeliveries(webhook, { ...filters, limit: HEAD }, signal),
    refetchInterval: ({ state }) => (hasPending(state.data) ? REFRESH_MS.pending : REFRESH_MS.quiet),
  })
  const cursor = pageInView > 0 ? ((data?.pageParams[pageInView] as string | null | undefined) ?? null) : null
  const page = useQuery({
    queryKey: [...deliveriesKey(webhook), 'page', filters, cursor],
    enabled: cursor !== null && hasPending(data?.pages[pageInView]),
    queryFn: ({ signal }) => listDeliveries(webhook, { ...filters, limit: PAGE, cursor: cursor ?? '' }, signal),
    refetchInterval: REFRESH_MS.pending,
  })
  const replace = useCallback(
    (index: number, next: DeliveryList) =>
      queryClient.setQueryData<Pages>(listKey, (before) =>
        before === undefined ? before : { ...before, pages: before.pages.with(index, next) },
      ),
    [queryClient, listKey],
  )
  const first = data?.pages[0]
  const merged = useMemo(
    () => (first === undefined || head.data === undefined ? null : mergeHead(first.deliveries, head.data)),
    [first, head.data],
  )
  const showNew = useCallback(() => {
    if (first === undefined || merged === null) return
    if (merged.withNew === null) void queryClient.resetQueries({ queryKey: listKey })
    else replace(0, { ...first, deliveries: [...merged.withNew] })
  }, [first, merged, queryClient, listKey, replace])
  useEffect(() => {
    if (first === undefined || merged === null) return
    const showsNew = first.deliveries.length === 0 || merged.fresh.some(({ id }) => id === openId)
    if (merged.fresh.length > 0 && showsNew) showNew()
    else if (!isSame(first.deliveries, merged.rows)) replace(0, { ...first, deliveries: [...merged.rows] })
  }, [first, merged, openId, replace, showNew])
  useEffect(() => {
    const index = data?.pageParams.indexOf(cursor) ?? -1
    if (page.data === undefined || index < 1) return
    if (!isSame(data?.pages[index]?.deliveries ?? [], page.data.deliveries)) replace(index, page.data)
  }, [page.data, data, cursor, replace])
  const rows = useMemo(() => {
    const byId = new Map<string, Delivery>()
    for (const each of data?.pages.flatMap(({ deliveries }) => deliveries) ?? []) byId.set(each.id, each)
    return [...byId.values()]
  }, [data])
  return {
    ...list,
    rows,
    newCount: merged?.fresh.length ?? 0,
    /** Whether there are more new rows than were counted. */
    newIsMore: merged !== null && merged.withNew === null,
    showNew,
    /** Polls now. */
    refresh: () => void head.refetch(),
  }
}

/** The page of a row. */
export function pageOfRow(pages: readonly DeliveryList[] | undefined, row: number): number {
  let end = 0
  return Math.max(0, pages?.findIndex(({ deliveries }) => (end += deliveries.length) > row) ?? 0)
}

function isSame(before: readonly Delivery[], after: readonly Delivery[]): boolean {
  return before.length === after.length && JSON.stringify(before) === JSON.stringify(after)
}

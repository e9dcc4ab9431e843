import type { DeliveryList, DeliveryQuery } from '@spoor/contract/schemas/delivery'
import { useInfiniteQuery } from '@tanstack/react-query'
import { deliveriesKey, listDeliveries } from '../../api/deliveries.ts'
import type { WebhookPlace } from '../../api/webhooks.ts'

const PAGE = 50
/** Time between two refreshes of a page, milliseconds. */
const REFRESH_MS = { pending: 3000, quiet: 6000 }

export type DeliveryFilters = Omit<DeliveryQuery, 'limit' | 'cursor'>

const hasPending = ({ deliveries }: DeliveryList) => deliveries.some(({ status }) => status === 'pending')

/** Deliveries page by page, newest first. A refresh reads all pages, so it is the rarer the more pages are shown. */
export function useDeliveries(webhook: WebhookPlace, filters: DeliveryFilters, isRefreshed: boolean) {
  return useInfiniteQuery({
    queryKey: [...deliveriesKey(webhook), 'list', filters],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      listDeliveries(
        webhook,
        { ...filters, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) =>
      isRefreshed &&
      (data?.pages.some(hasPending) === true ? REFRESH_MS.pending : REFRESH_MS.quiet) * (data?.pages.length ?? 1),
  })
}

import { useQuery } from '@tanstack/react-query'
import { deliveriesKey, listDeliveries } from '../../api/deliveries.ts'
import type { WebhookPlace } from '../../api/webhooks.ts'
import { lastSuccessAmong } from '../webhook-health.ts'

/** The deliveries that determine a webhook's health. */
export const RECENT = 50

/** Often while a delivery is pending, otherwise rarely, to notice new ones. */
const REFRESH_MS = { pending: 4000, quiet: 20_000 }

/** The newest deliveries, newest first, and the last success; null: none in the log; undefined: not loaded yet. */
export function useRecent(webhook: WebhookPlace) {
  const { data: recent } = useQuery({
    queryKey: [...deliveriesKey(webhook), 'recent'],
    queryFn: async ({ signal }) => (await listDeliveries(webhook, { limit: RECENT }, signal)).deliveries,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending') === true ? REFRESH_MS.pending : REFRESH_MS.quiet,
  })
  const seen = recent === undefined ? undefined : lastSuccessAmong(recent)
  const isAll = recent !== undefined && recent.length < RECENT
  const { data: older } = useQuery({
    queryKey: [...deliveriesKey(webhook), 'last success'],
    enabled: seen === null && !isAll,
    queryFn: async ({ signal }) =>
      lastSuccessAmong((await listDeliveries(webhook, { status: 'succeeded', limit: 1 }, signal)).deliveries),
  })
  return { recent, lastSuccess: seen === null && !isAll ? older : seen }
}

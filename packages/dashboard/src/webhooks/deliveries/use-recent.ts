import type { Delivery } from '@spoor/contract/schemas/delivery'
import type { Webhook } from '@spoor/contract/schemas/webhook'
import { useQuery } from '@tanstack/react-query'
import { deliveriesKey, listDeliveries } from '../../api/deliveries.ts'
import { lastSuccessAmong } from '../webhook-health.ts'

/** The deliveries that determine a webhook's health. */
export const RECENT = 50

/** Often while a delivery is pending, otherwise rarely, to notice new ones. */
const REFRESH_MS = { pending: 4000, quiet: 20_000 }

interface Recent {
  /** The newest deliveries, newest first; undefined while loading. */
  readonly recent: readonly Delivery[] | undefined
  /** Null: none in the stored log; undefined: not loaded yet. */
  readonly lastSuccess: string | null | undefined
}

export function useRecent({ project_id, id }: Pick<Webhook, 'project_id' | 'id'>): Recent {
  const place = { projectId: project_id, webhookId: id }
  const { data: recent } = useQuery({
    queryKey: [...deliveriesKey(place), 'recent'],
    queryFn: async ({ signal }) => (await listDeliveries(place, { limit: RECENT }, signal)).deliveries,
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending') === true ? REFRESH_MS.pending : REFRESH_MS.quiet,
  })
  const seen = recent === undefined ? undefined : lastSuccessAmong(recent)
  const isAll = recent !== undefined && recent.length < RECENT
  const { data: older } = useQuery({
    queryKey: [...deliveriesKey(place), 'last success'],
    enabled: seen === null && !isAll,
    queryFn: async ({ signal }) =>
      lastSuccessAmong((await listDeliveries(place, { status: 'succeeded', limit: 1 }, signal)).deliveries),
  })
  return { recent, lastSuccess: seen === null && !isAll ? older : seen }
}

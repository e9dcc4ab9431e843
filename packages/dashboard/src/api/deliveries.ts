import type {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  RedeliveredCount,
} from '@spoor/contract/schemas/delivery'
import { queryOptions } from '@tanstack/react-query'
import { request } from './client/request.ts'

/** A webhook, as identified by the paths of its deliveries. */
export interface WebhookPlace {
  readonly projectId: string
  readonly webhookId: string
}

const pathOf = ({ projectId, webhookId }: WebhookPlace) =>
  `/v1/projects/${projectId}/webhooks/${encodeURIComponent(webhookId)}/deliveries`

/** Key prefix of all queries about a webhook's deliveries. */
export function deliveriesKey({ projectId, webhookId }: WebhookPlace) {
  return ['deliveries', projectId, webhookId] as const
}

export function listDeliveries(place: WebhookPlace, query: DeliveryQuery, signal: AbortSignal): Promise<DeliveryList> {
  return request(pathOf(place), { query, signal })
}

export function deliveryQuery(place: WebhookPlace, id: string) {
  return queryOptions({
    queryKey: [...deliveriesKey(place), 'one', id],
    queryFn: ({ signal }) => request<DeliveryDetail>(`${pathOf(place)}/${encodeURIComponent(id)}`, { signal }),
  })
}

/** Sends the delivery again now. */
export function redeliver(place: WebhookPlace, id: string): Promise<Delivery> {
  return request(`${pathOf(place)}/${encodeURIComponent(id)}/redeliver`, { method: 'POST' })
}

/** Sends all failed deliveries again that were created since then (RFC 3339). */
export function redeliverFailed(place: WebhookPlace, since: string): Promise<RedeliveredCount> {
  return request(`${pathOf(place)}/redeliver-failed`, { method: 'POST', body: { since } })
}

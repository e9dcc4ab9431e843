import type {
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  RedeliveredCount,
} from '@spoor/contract/schemas/delivery'
import { readQuery } from './client/queries.ts'
import { post, request } from './client/request.ts'
import { pathOfWebhook, type WebhookPlace } from './webhooks.ts'

const pathOf = (webhook: WebhookPlace, id?: string) =>
  `${pathOfWebhook(webhook)}/deliveries${id === undefined ? '' : `/${encodeURIComponent(id)}`}`

/** Key prefix of all queries about a webhook's deliveries. */
export const deliveriesKey = ({ project_id, id }: WebhookPlace) => ['deliveries', project_id, id] as const

export const listDeliveries = (webhook: WebhookPlace, query: DeliveryQuery, signal: AbortSignal) =>
  request<DeliveryList>(pathOf(webhook), { query, signal })

export const deliveryQuery = (webhook: WebhookPlace, id: string) =>
  readQuery<DeliveryDetail>([...deliveriesKey(webhook), 'one', id], pathOf(webhook, id))

export const redeliver = (webhook: WebhookPlace, id: string) => post<Delivery>(`${pathOf(webhook, id)}/redeliver`)

/** Sends all failed deliveries again that were created since then (RFC 3339). */
export const redeliverFailed = (webhook: WebhookPlace, since: string) =>
  post<RedeliveredCount>(`${pathOf(webhook)}/redeliver-failed`, { since })

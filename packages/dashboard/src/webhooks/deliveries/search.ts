import { DELIVERED_EVENT_TYPES, WEBHOOK_EVENT_TYPES } from '@spoor/contract/events'
import type { Delivery } from '@spoor/contract/schemas/delivery'
import { oneOf, rangeSearchOf } from '../../lib/search.ts'

export type DeliveryStatus = Delivery['status']
const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const satisfies DeliveryStatus[]

export type WebhookSearch = ReturnType<typeof webhookSearch>

export const webhookSearch = rangeSearchOf({
  event: oneOf(DELIVERED_EVENT_TYPES),
  status: oneOf(DELIVERY_STATUSES),
  /** The delivery that is open beside the list. */
  delivery: (value) => (typeof value === 'string' && value.startsWith('dlv_') ? value : undefined),
  /** Opens the form of a new webhook for this event. */
  create: oneOf(WEBHOOK_EVENT_TYPES),
})

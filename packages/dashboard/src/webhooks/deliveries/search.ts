import {
  DELIVERED_EVENT_TYPES,
  type DeliveredEventType,
  WEBHOOK_EVENT_TYPES,
  type WebhookEventType,
} from '@spoor/contract/events'
import type { Delivery } from '@spoor/contract/schemas/delivery'
import { readTimeRangeSearch, type TimeRangeSearch } from '../../lib/time-range.ts'

export type DeliveryStatus = Delivery['status']
const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const satisfies DeliveryStatus[]

export interface WebhookSearch extends TimeRangeSearch {
  readonly event?: DeliveredEventType
  readonly status?: DeliveryStatus
  /** The delivery that is open beside the list. */
  readonly delivery?: string
  /** Opens the form of a new webhook for this event. */
  readonly create?: WebhookEventType
}

/** Parses the URL of the screen; drops invalid values. */
export function webhookSearch(raw: Record<string, unknown>): WebhookSearch {
  const event = DELIVERED_EVENT_TYPES.find((type) => type === raw['event'])
  const status = DELIVERY_STATUSES.find((each) => each === raw['status'])
  const delivery = raw['delivery']
  const create = WEBHOOK_EVENT_TYPES.find((type) => type === raw['create'])
  return {
    ...readTimeRangeSearch(raw),
    ...(event === undefined ? {} : { event }),
    ...(status === undefined ? {} : { status }),
    ...(typeof delivery === 'string' && delivery.startsWith('dlv_') ? { delivery } : {}),
    ...(create === undefined ? {} : { create }),
  }
}

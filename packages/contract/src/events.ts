/** What a webhook subscription can ask for. */
export const WEBHOOK_EVENT_TYPES = [
  'trace.committed',
  'trace.flagged',
  'metric.event',
  'monitor.fired',
  'monitor.resolved',
  'cluster.created',
  'cluster.shifted',
] as const
export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number]

/** What deliveries carry: what was subscribed to, and the `ping` that a user asks for. */
export const DELIVERED_EVENT_TYPES = [...WEBHOOK_EVENT_TYPES, 'ping'] as const
export type DeliveredEventType = (typeof DELIVERED_EVENT_TYPES)[number]

/** The `event:` names of the tail: a committed trace; a position so old that the traces since then can no longer be told. */
export const TAIL_EVENTS = ['trace.committed', 'gap'] as const
export type TailEvent = (typeof TAIL_EVENTS)[number]

import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, TraceId, WebhookId } from '@spoor/contract/ids'
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts'

export interface DeliveryQuery {
  readonly webhookId: WebhookId
  /** Null: all. */
  readonly eventType: DeliveredEventType | null
  readonly status: DeliveryStatus | null
  /** Bounds on `createdAt`, milliseconds; start inclusive, end exclusive; null: open. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Only deliveries older than this place in the list. */
  readonly behind: number | null
  readonly limit: number
}

/** `place` grows with every delivery that is made: a safe integer, not negative. */
export interface PlacedDelivery extends Delivery {
  readonly place: number
}

export interface DeliveryDetail extends Delivery {
  /** The body as it is sent, JSON text; empty when it went with its trace. */
  readonly body: string
  /** Oldest first. */
  readonly attemptList: readonly Attempt[]
}

/** What users see of deliveries, and what they may have done with them. Errors as in DeliveryQueue. A redelivery is durable when its promise resolves. */
export interface DeliveryLog {
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly PlacedDelivery[]>
  find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined>
  /**
   * Makes it due at `now` with a new schedule, whatever its state; a pending one is due at once. A leased one is left to its attempt, and one whose trace was deleted stays as it is. Undefined when there is no such delivery.
   */
  redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined>
  /** As `redeliver` for the failed ones created at or after `since`, oldest first, those behind `after` (a place); at most `limit`. Returns how many, and the place to go on from (null at the end). */
  redeliverFailed(
    webhookId: WebhookId,
    since: number,
    now: number,
    after: number | null,
    limit: number,
  ): Promise<{ readonly count: number; readonly after: number | null }>
  /** Removes deliveries finished before `finishedBefore`, with attempts and with events that no delivery needs any more; at most `limit`; returns how many. */
  prune(finishedBefore: number, limit: number): Promise<number>
  /**
   * After traces were deleted: drops the bodies of their events, at most `limit`; returns how many. Pending deliveries of them end as `failed`, `trace_deleted`; what receivers answered stays. An attempt under way is
   * recorded nevertheless.
   */
  forgetTraces(traceIds: readonly TraceId[], now: number, limit: number): Promise<number>
  /** Subscriptions that it has anything of, in no order. */
  webhookIds(): Promise<readonly WebhookId[]>
  /** Removes what deleted subscriptions left, at most `limit` deliveries; returns how many. */
  forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number>
}

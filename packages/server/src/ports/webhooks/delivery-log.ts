import type { DeliveredEventType } from '@spoor/contract/events'
import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { ContentOwner } from './delivery-intake.ts'
import type { Attempt, Delivery, DeliveryStatus } from './delivery.ts'

export interface DeliveryQuery {
  readonly webhookId: WebhookId
  /** Null: all. */
  readonly eventType: DeliveredEventType | null
  readonly status: DeliveryStatus | null
  /** Bounds on `createdAt` in milliseconds: start inclusive, end exclusive; null: none. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Only deliveries after this place in the list, which is newest first; null: from the start. */
  readonly after: number | null
  readonly limit: number
}

/** `place` grows with each new delivery: a safe integer, not negative. */
export interface PlacedDelivery extends Delivery {
  readonly place: number
}

export interface DeliveryDetail extends Delivery {
  /** The sent body, JSON text; empty if its trace was deleted. */
  readonly body: string
  /** Oldest first. */
  readonly attemptList: readonly Attempt[]
}

/**
 * What users see of deliveries, and redelivery. Errors as in DeliveryQueue. A redelivery is durable when its promise
 * resolves.
 */
export interface DeliveryLog {
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly PlacedDelivery[]>
  find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined>
  /**
   * Makes it due at `now` with a new schedule, whatever its state. A leased one, and one whose trace was deleted, does
   * not change. Undefined if it does not exist.
   */
  redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined>
  /**
   * `redeliver` for failed deliveries created at or after `since` with a place after `after`, oldest first, at most
   * `limit`. Returns how many, and the place to continue after (null at the end).
   */
  redeliverFailed(
    webhookId: WebhookId,
    since: number,
    now: number,
    after: number | null,
    limit: number,
  ): Promise<{ readonly count: number; readonly after: number | null }>
  /**
   * Removes at most `limit` deliveries finished before `finishedBefore`, with their attempts and with events that have
   * no other delivery. Returns how many.
   */
  prune(finishedBefore: number, limit: number): Promise<number>
  /**
   * Drops the bodies of at most `limit` events with this content; returns how many. Their pending deliveries end as
   * `failed`, `trace_deleted`. Responses stay, and an attempt under way is still recorded.
   */
  forgetContent(of: readonly ContentOwner[], now: number, limit: number): Promise<number>
  /** Subscriptions that it has data of, in any order. */
  webhookIds(): Promise<readonly WebhookId[]>
  /** Removes at most `limit` deliveries of deleted subscriptions; returns how many. */
  forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number>
}

import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from './delivery.ts'

/** How the receiver of a subscription has done lately. */
export interface LaneHealth {
  /** When the first of the attempts failed that have failed since the last success (or since it was made, enabled, or moved to another url); null when the last one succeeded or none was made. */
  readonly failingSince: number | null
  /** Attempts failed in a row, of all deliveries together. */
  readonly failuresInARow: number
}

/** How far `correctTimes` has come. */
export interface TimesCursor {
  readonly startedAt: number
  readonly place: number
}

/**
 * Pending deliveries, as the sender takes them. Several processes may use one store, each through a queue of its own: a
 * lease is of the queue that took it.
 *
 * - Each write is one transaction. A read returns what was written before it.
 * - A delivery is offered and leased only when it is durable, so that what was sent has the same body after a power loss.
 * - What is written here is flushed later: a power loss may take back the last writes, never parts of one, and an attempt
 *   is then made once more.
 * - Times are milliseconds since 1970 UTC.
 * - Methods reject with DomainError `storage_unavailable` or `disk_full` when the store cannot be used: nothing changed then.
 */
export interface DeliveryQueue {
  /** Subscriptions that have a delivery which is due at `now` and not leased, at most `limit`, those behind `after` in the order of ids first, then from the start. */
  dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]>
  /** When the next delivery that is not leased becomes due; null when none is pending. */
  nextDueAt(): Promise<number | null>
  /**
   * Takes up to `limit` due deliveries of a subscription, the longest due first. Nobody else gets them before `leaseUntil`, or before they are finished or released;
   * a lease that passed its end, or whose process died, is taken again. `maxBytes` bounds the sum of the bodies; the first is given whatever its size.
   */
  lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    bounds: { readonly limit: number; readonly maxBytes: number },
  ): Promise<readonly DueDelivery[]>
  /** As `lease` for one pending delivery, whenever it is due. Undefined when it is not there, not pending, or leased. */
  leaseOne(webhookId: WebhookId, id: DeliveryId, now: number, leaseUntil: number): Promise<DueDelivery | undefined>
  /** Gives leases of this queue back without an attempt: as due as before. Others are left alone. */
  release(ids: readonly DeliveryId[]): Promise<void>
  /** Keeps the attempts and moves their deliveries, all in one transaction. A delivery that was cancelled or removed meanwhile keeps its state; one that succeeds now is succeeded all the same. */
  finish(finished: readonly FinishedAttempt[]): Promise<void>
  /** Settles a leased delivery without an attempt (its subscription is gone). */
  settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void>
  /** As the attempts say that were finished. */
  health(webhookId: WebhookId): Promise<LaneHealth>
  /** After the subscription was enabled again or moved to another url: forgets its failures. */
  forgetFailures(webhookId: WebhookId): Promise<void>
  /**
   * Gives up pending deliveries whose schedule started before `startedBefore`: `failed`, `expired`. Those that were not tried on this schedule are left out, and leased ones.
   * At most `limit`; returns how many.
   */
  expire(startedBefore: number, now: number, limit: number): Promise<number>
  /**
   * Corrects times of pending deliveries that a clock set while it was ahead, see `correctedTimes`; leased ones are left out. Reads up to `limit` deliveries behind `after` (null: from the start). Returns where
   * to go on, null at the end.
   */
  correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null>
  /** Cancels pending deliveries of a deleted subscription, at most `limit`; returns how many. */
  cancel(webhookId: WebhookId, now: number, limit: number): Promise<number>
  /** Deliveries pending, of all subscriptions. May be a moment old. */
  pendingCount(): Promise<number>
}

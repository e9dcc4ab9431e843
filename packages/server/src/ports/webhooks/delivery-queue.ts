import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { AfterAttempt, DueDelivery, FinishedAttempt } from './delivery.ts'

/** The recent results of a receiver. */
export interface LaneHealth {
  /**
   * The first failure since the last success, or since the subscription was created, enabled or got another url. Null
   * if there is none.
   */
  readonly failingSince: number | null
  /** Consecutive failures, of all deliveries together. */
  readonly failuresInARow: number
}

export interface LeasedDeliveries {
  readonly deliveries: readonly DueDelivery[]
  /**
   * Whether more may be due that is not leased, because the subscription has its most under way at all nodes together.
   * Never for a store of one process, where the machine bounds them.
   */
  readonly isCapped: boolean
}

/** The last delivery that `correctTimes` read. */
export interface TimesCursor {
  readonly startedAt: number
  readonly place: number
}

/**
 * Pending deliveries for the sender. Several processes may use one store, each with a queue of its own, which owns its
 * leases.
 *
 * - Each write is one transaction. A read returns all earlier writes.
 * - Only durable deliveries are offered and leased: after a power loss, what was sent still has the same body.
 * - Writes are flushed later: a power loss may undo the last ones, each as a whole, and their attempts are repeated.
 * - Times are milliseconds since 1970 UTC.
 * - Methods reject with DomainError `storage_unavailable` or `disk_full`; then nothing has changed.
 */
export interface DeliveryQueue {
  /**
   * At most `limit` subscriptions with a due delivery that is not leased, in the order of ids: those after `after`,
   * then the others.
   */
  dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]>
  /**
   * When the next delivery that is not leased is due; null if there is none. May leave out one whose lease has ended
   * without a result: `dueWebhooks` finds it.
   */
  nextDueAt(): Promise<number | null>
  /**
   * Leases up to `limit` due deliveries of a subscription, the earliest due first. They are not leased again until they
   * are finished or released, `leaseUntil` has passed, or the process has died. `maxBytes` bounds the sum of the
   * bodies, except for the first.
   */
  lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    bounds: { readonly limit: number; readonly maxBytes: number },
  ): Promise<LeasedDeliveries>
  /** Leases one pending delivery, due or not. Undefined if it does not exist, is not pending, or is leased. */
  leaseOne(webhookId: WebhookId, id: DeliveryId, now: number, leaseUntil: number): Promise<DueDelivery | undefined>
  /** Ends leases of this queue without an attempt; due times stay. Ignores other leases. */
  release(ids: readonly DeliveryId[]): Promise<void>
  /**
   * Stores attempts and the new states of their deliveries, in one transaction. A delivery cancelled or removed
   * meanwhile keeps its state, except that a cancelled one can succeed. `delivery` MUST be the object that the lease
   * returned: the store recognises the lease by it.
   */
  finish(finished: readonly FinishedAttempt[]): Promise<void>
  /** Settles a leased delivery without an attempt. */
  settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void>
  /** According to the finished attempts. */
  health(webhookId: WebhookId): Promise<LaneHealth>
  /** Forgets the failures of a subscription that was enabled or got another url. */
  forgetFailures(webhookId: WebhookId): Promise<void>
  /**
   * Gives up at most `limit` pending deliveries whose schedule started before `startedBefore`, as `failed`, `expired`;
   * not leased ones, and none without an attempt in this schedule. Returns how many.
   */
  expire(startedBefore: number, now: number, limit: number): Promise<number>
  /**
   * Corrects times of pending deliveries set by a clock that was ahead, see `correctedTimes`; not of leased ones. Reads
   * up to `limit` deliveries after `after` (null: from the start). Returns where to continue, null at the end.
   */
  correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null>
  /** Cancels at most `limit` pending deliveries of a deleted subscription; returns how many. */
  cancel(webhookId: WebhookId, now: number, limit: number): Promise<number>
  /** Pending deliveries of all subscriptions. May be slightly stale. */
  pendingCount(): Promise<number>
}

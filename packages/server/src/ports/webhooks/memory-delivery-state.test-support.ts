import type { DeliveryId, EventId, WebhookId } from '@spoor/contract/ids'
import type { NewEvent } from './delivery-intake.ts'
import type { LaneHealth } from './delivery-queue.ts'
import type { AfterAttempt, Attempt, DeliverySchedule, DeliveryStatus, FailureReason } from './delivery.ts'

/** A delivery with all its attempts. */
export interface StoredDelivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly event: NewEvent
  /** Grows with each new delivery. */
  readonly place: number
  status: DeliveryStatus
  reason: FailureReason | null
  schedule: DeliverySchedule
  nextAttemptAt: number | null
  finishedAt: number | null
  attempts: Attempt[]
}

/** Shared state of the fakes of queue, intake and log. Waiting deliveries are pending and not leased. */
export class MemoryDeliveryState {
  /** Called before each method of the fakes with its name; may throw to make it fail. */
  before: (method: string) => void = () => undefined
  position: number | null = null
  readonly deliveries = new Map<DeliveryId, StoredDelivery>()
  /** In the order of due times. */
  readonly waiting = new Map<WebhookId, StoredDelivery[]>()
  /** With the end of each lease. */
  readonly leased = new Map<DeliveryId, number>()
  readonly health = new Map<WebhookId, LaneHealth>()
  /** Events whose bodies were dropped. */
  readonly bodiless = new Set<EventId>()
  /** With the number of their deliveries. */
  readonly #events = new Map<EventId, { readonly event: NewEvent; deliveries: number }>()
  #lastPlace = 0

  all(): StoredDelivery[] {
    return [...this.deliveries.values()]
  }

  add(added: readonly NewEvent[]): void {
    for (const event of added) {
      const stored = this.#events.get(event.id) ?? { event, deliveries: 0 }
      for (const { id, webhookId } of event.deliveries) {
        if (this.deliveries.has(id)) continue
        const schedule = { startedAt: event.dueAt, step: 0, stepDueAt: null }
        const state = { status: 'pending' as const, reason: null, finishedAt: null, attempts: [], schedule }
        const place = ++this.#lastPlace
        const delivery = { id, webhookId, event: stored.event, place, nextAttemptAt: event.dueAt, ...state }
        this.deliveries.set(id, delivery)
        this.#events.set(event.id, stored)
        stored.deliveries += 1
        this.wait(delivery)
      }
    }
  }

  /** An event is removed with its last delivery. */
  remove(delivery: StoredDelivery): void {
    this.leave(delivery)
    this.leased.delete(delivery.id)
    this.deliveries.delete(delivery.id)
    const stored = this.#events.get(delivery.event.id)
    if (stored === undefined || --stored.deliveries > 0) return
    this.#events.delete(delivery.event.id)
    this.bodiless.delete(delivery.event.id)
  }

  /** Gives a delivery another state. Its lease does not end with it. */
  move(delivery: StoredDelivery, after: AfterAttempt, now: number): void {
    this.leave(delivery)
    delivery.status = after.status
    delivery.reason = after.status === 'failed' ? after.reason : null
    delivery.nextAttemptAt = after.status === 'pending' ? after.nextAttemptAt : null
    delivery.finishedAt = after.status === 'pending' ? null : now
    if (after.status !== 'pending') return
    delivery.schedule = after.schedule
    this.wait(delivery)
  }

  release(id: DeliveryId): void {
    const delivery = this.deliveries.get(id)
    if (this.leased.delete(id) && delivery?.status === 'pending') this.wait(delivery)
  }

  releaseExpired(now: number): void {
    for (const [id, until] of this.leased) if (until <= now) this.release(id)
  }

  /** Inserts it in the order of due times. */
  wait(delivery: StoredDelivery): void {
    const waiting = this.waiting.get(delivery.webhookId) ?? []
    this.waiting.set(delivery.webhookId, waiting)
    const isLater = (other: StoredDelivery | undefined) =>
      other !== undefined &&
      ((other.nextAttemptAt ?? 0) - (delivery.nextAttemptAt ?? 0) || other.place - delivery.place) > 0
    let at = waiting.length
    while (at > 0 && isLater(waiting[at - 1])) at--
    waiting.splice(at, 0, delivery)
  }

  leave(delivery: StoredDelivery): void {
    const waiting = this.waiting.get(delivery.webhookId) ?? []
    const at = waiting.indexOf(delivery)
    if (at >= 0) waiting.splice(at, 1)
  }
}

import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { NewEvent } from './delivery-intake.ts'
import type { DeliveryQueue, LaneHealth, TimesCursor } from './delivery-queue.ts'
import type {
  AfterAttempt,
  Attempt,
  DeliverySchedule,
  DeliveryStatus,
  DueDelivery,
  FailureReason,
  FinishedAttempt,
} from './delivery.ts'
import { correctedTimes, isUntried } from '../../webhooks/deliver/retry-schedule.ts'

type Settled = Exclude<AfterAttempt, { status: 'pending' }>

/** A delivery with all its attempts. */
export interface KeptDelivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly event: NewEvent
  /** Order of insertion, for equal times. */
  readonly place: number
  status: DeliveryStatus
  reason: FailureReason | null
  schedule: DeliverySchedule
  nextAttemptAt: number | null
  finishedAt: number | null
  attempts: Attempt[]
}

const HEALTHY: LaneHealth = { failingSince: null, failuresInARow: 0 }

/** Deliveries in memory: waiting ones in the order of due times, and leased ones. */
export class MemoryDeliveryQueue implements DeliveryQueue {
  /** Called before each method with its name; may throw to make it fail. */
  before: (method: string) => void = () => undefined
  readonly #all = new Map<DeliveryId, KeptDelivery>()
  readonly #waiting = new Map<WebhookId, KeptDelivery[]>()
  readonly #leased = new Map<DeliveryId, number>()
  readonly #health = new Map<WebhookId, LaneHealth>()

  add(events: readonly NewEvent[]): void {
    this.before('add')
    for (const event of events) {
      for (const { id, webhookId } of event.deliveries) {
        if (this.#all.has(id)) continue
        const schedule = { startedAt: event.dueAt, step: 0, stepDueAt: null }
        const state = { status: 'pending' as const, reason: null, finishedAt: null, attempts: [], schedule }
        const place = this.#all.size
        const delivery = { id, webhookId, event, place, nextAttemptAt: event.dueAt, ...state }
        this.#all.set(id, delivery)
        this.#wait(delivery)
      }
    }
  }

  get(id: DeliveryId): KeptDelivery | undefined {
    return this.#all.get(id)
  }

  all(): KeptDelivery[] {
    return [...this.#all.values()]
  }

  get leasedCount(): number {
    return this.#leased.size
  }

  /** Redelivers as the log does. */
  redeliver(id: DeliveryId, now: number): void {
    const delivery = this.#all.get(id)
    if (delivery === undefined || this.#leased.has(id)) return
    this.#leave(delivery)
    Object.assign(delivery, { status: 'pending', reason: null, finishedAt: null, nextAttemptAt: now })
    delivery.schedule = { startedAt: now, step: 0, stepDueAt: null }
    this.#wait(delivery)
  }

  async dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]> {
    this.before('dueWebhooks')
    this.#freeLeases(now)
    const due = [...this.#waiting].filter(
      ([, [first]]) => first !== undefined && (first.nextAttemptAt ?? Infinity) <= now,
    )
    const ids = due.map(([id]) => id).sort()
    const from = after === null ? 0 : ids.findIndex((id) => id > after)
    return (from > 0 ? [...ids.slice(from), ...ids.slice(0, from)] : ids).slice(0, limit)
  }

  async nextDueAt(): Promise<number | null> {
    this.before('nextDueAt')
    const firsts = [...this.#waiting.values()].map(([first]) => first?.nextAttemptAt ?? Infinity)
    const next = Math.min(...firsts)
    return Number.isFinite(next) ? next : null
  }

  async lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    bounds: { readonly limit: number; readonly maxBytes: number },
  ): Promise<readonly DueDelivery[]> {
    this.before('lease')
    this.#freeLeases(now)
    const waiting = this.#waiting.get(webhookId) ?? []
    let bytes = 0
    let count = 0
    for (const { event, nextAttemptAt } of waiting) {
      bytes += event.body.length
      if (count >= bounds.limit || (nextAttemptAt ?? Infinity) > now || (count > 0 && bytes > bounds.maxBytes)) break
      count++
    }
    const taken = waiting.splice(0, count)
    for (const { id } of taken) this.#leased.set(id, leaseUntil)
    return taken.map(toDue)
  }

  async leaseOne(
    webhookId: WebhookId,
    id: DeliveryId,
    now: number,
    leaseUntil: number,
  ): Promise<DueDelivery | undefined> {
    this.before('leaseOne')
    this.#freeLeases(now)
    const delivery = this.#all.get(id)
    if (delivery?.webhookId !== webhookId || delivery.status !== 'pending' || this.#leased.has(id)) return undefined
    this.#leave(delivery)
    this.#leased.set(id, leaseUntil)
    return toDue(delivery)
  }

  async release(ids: readonly DeliveryId[]): Promise<void> {
    this.before('release')
    for (const id of ids) this.#free(id)
  }

  async finish(finished: readonly FinishedAttempt[]): Promise<void> {
    this.before('finish')
    for (const { delivery, attempt, after } of finished) {
      this.#count(delivery.webhookId, attempt, after.status === 'succeeded')
      const kept = this.#all.get(delivery.id)
      if (kept === undefined) continue
      kept.attempts.push(attempt)
      if (kept.status === 'pending' || after.status === 'succeeded')
        this.#move(kept, after, attempt.startedAt + attempt.durationMs)
    }
  }

  async settle(id: DeliveryId, after: Settled, now: number): Promise<void> {
    this.before('settle')
    const kept = this.#all.get(id)
    if (kept?.status === 'pending') this.#move(kept, after, now)
  }

  async health(webhookId: WebhookId): Promise<LaneHealth> {
    this.before('health')
    return this.#health.get(webhookId) ?? HEALTHY
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    this.before('forgetFailures')
    this.#health.delete(webhookId)
  }

  async expire(startedBefore: number, now: number, limit: number): Promise<number> {
    this.before('expire')
    const old = [...this.#waiting.values()]
      .flat()
      .filter(({ schedule }) => !isUntried(schedule) && schedule.startedAt < startedBefore)
    for (const delivery of old.slice(0, limit)) this.#move(delivery, { status: 'failed', reason: 'expired' }, now)
    return Math.min(old.length, limit)
  }

  /** Frees all leases. */
  async correctTimes(now: number): Promise<TimesCursor | null> {
    this.before('correctTimes')
    for (const delivery of [...this.#waiting.values()].flat()) {
      const { nextAttemptAt, schedule } = delivery
      const times = correctedTimes({ nextAttemptAt: nextAttemptAt ?? 0, schedule }, now)
      if (times === null) continue
      this.#leave(delivery)
      Object.assign(delivery, times)
      this.#wait(delivery)
    }
    return null
  }

  async cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    this.before('cancel')
    const pending = this.all().filter((one) => one.webhookId === webhookId && one.status === 'pending')
    for (const delivery of pending.slice(0, limit)) this.#move(delivery, { status: 'cancelled' }, now)
    return Math.min(pending.length, limit)
  }

  async pendingCount(): Promise<number> {
    return this.all().filter(({ status }) => status === 'pending').length
  }

  #move(delivery: KeptDelivery, after: AfterAttempt, now: number): void {
    this.#leased.delete(delivery.id)
    this.#leave(delivery)
    delivery.status = after.status
    delivery.reason = after.status === 'failed' ? after.reason : null
    delivery.nextAttemptAt = after.status === 'pending' ? after.nextAttemptAt : null
    delivery.finishedAt = after.status === 'pending' ? null : now
    if (after.status !== 'pending') return
    delivery.schedule = after.schedule
    this.#wait(delivery)
  }

  #count(webhookId: WebhookId, { startedAt, durationMs }: Attempt, isSuccess: boolean): void {
    const { failingSince, failuresInARow } = this.#health.get(webhookId) ?? HEALTHY
    if (isSuccess) this.#health.delete(webhookId)
    else {
      const since = failingSince ?? startedAt + durationMs
      this.#health.set(webhookId, { failingSince: since, failuresInARow: failuresInARow + 1 })
    }
  }

  #free(id: DeliveryId): void {
    const delivery = this.#all.get(id)
    if (this.#leased.delete(id) && delivery?.status === 'pending') this.#wait(delivery)
  }

  #freeLeases(now: number): void {
    for (const [id, until] of this.#leased) if (until <= now) this.#free(id)
  }

  /** Inserts it in the order of due times. */
  #wait(delivery: KeptDelivery): void {
    const waiting = this.#waiting.get(delivery.webhookId) ?? []
    this.#waiting.set(delivery.webhookId, waiting)
    const isBehind = (other: KeptDelivery | undefined) =>
      other !== undefined &&
      ((other.nextAttemptAt ?? 0) - (delivery.nextAttemptAt ?? 0) || other.place - delivery.place) > 0
    let at = waiting.length
    while (at > 0 && isBehind(waiting[at - 1])) at--
    waiting.splice(at, 0, delivery)
  }

  #leave(delivery: KeptDelivery): void {
    const waiting = this.#waiting.get(delivery.webhookId) ?? []
    const at = waiting.indexOf(delivery)
    if (at >= 0) waiting.splice(at, 1)
  }
}

function toDue({ id, webhookId, event, attempts, schedule }: KeptDelivery): DueDelivery {
  const { id: eventId, type: eventType, body } = event
  return { id, webhookId, eventId, eventType, body, attempts: attempts.length, schedule }
}

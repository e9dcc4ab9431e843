import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import { isUntried, RETRY_WAITS_MS } from '../../webhooks/rules/retry-schedule.ts'
import type { DeliveryQueue, LaneHealth, LeasedDeliveries, TimesCursor } from './delivery-queue.ts'
import type { AfterAttempt, Attempt, DueDelivery, FinishedAttempt } from './delivery.ts'
import type { MemoryDeliveryState, StoredDelivery } from './memory-delivery-state.test-support.ts'

const HEALTHY: LaneHealth = { failingSince: null, failuresInARow: 0 }

/** A fake of the queue; passes delivery-queue.conformance.ts. */
export class MemoryDeliveryQueue implements DeliveryQueue {
  readonly #state: MemoryDeliveryState

  constructor(state: MemoryDeliveryState) {
    this.#state = state
  }

  async dueWebhooks(now: number, after: WebhookId | null, limit: number): Promise<readonly WebhookId[]> {
    this.#begin('dueWebhooks', now)
    const due = [...this.#state.waiting].filter(
      ([, [first]]) => first !== undefined && (first.nextAttemptAt ?? Infinity) <= now,
    )
    const ids = due.map(([id]) => id).sort()
    const from = after === null ? 0 : ids.findIndex((id) => id > after)
    return (from > 0 ? [...ids.slice(from), ...ids.slice(0, from)] : ids).slice(0, limit)
  }

  async nextDueAt(): Promise<number | null> {
    this.#begin('nextDueAt')
    const firsts = [...this.#state.waiting.values()].map(([first]) => first?.nextAttemptAt ?? Infinity)
    const next = Math.min(...firsts)
    return Number.isFinite(next) ? next : null
  }

  async lease(
    webhookId: WebhookId,
    now: number,
    leaseUntil: number,
    bounds: { readonly limit: number; readonly maxBytes: number },
  ): Promise<LeasedDeliveries> {
    this.#begin('lease', now)
    const waiting = this.#state.waiting.get(webhookId) ?? []
    let bytes = 0
    let count = 0
    for (const { event, nextAttemptAt } of waiting) {
      bytes += event.body.length
      if (count >= bounds.limit || (nextAttemptAt ?? Infinity) > now || (count > 0 && bytes > bounds.maxBytes)) break
      count++
    }
    const taken = waiting.splice(0, count)
    for (const { id } of taken) this.#state.leased.set(id, leaseUntil)
    return { deliveries: taken.map(toDue), isCapped: false }
  }

  async leaseOne(
    webhookId: WebhookId,
    id: DeliveryId,
    now: number,
    leaseUntil: number,
  ): Promise<DueDelivery | undefined> {
    this.#begin('leaseOne', now)
    const { deliveries, leased } = this.#state
    const delivery = deliveries.get(id)
    if (delivery?.webhookId !== webhookId || delivery.status !== 'pending' || leased.has(id)) return undefined
    this.#state.leave(delivery)
    leased.set(id, leaseUntil)
    return toDue(delivery)
  }

  async release(ids: readonly DeliveryId[]): Promise<void> {
    this.#begin('release')
    for (const id of ids) this.#state.release(id)
  }

  async finish(finished: readonly FinishedAttempt[]): Promise<void> {
    this.#begin('finish')
    for (const { delivery, attempt, after } of finished) {
      this.#state.leased.delete(delivery.id)
      const stored = this.#state.deliveries.get(delivery.id)
      if (stored === undefined) continue
      this.#count(delivery.webhookId, attempt, after.status === 'succeeded')
      stored.attempts.push({ ...attempt, number: stored.attempts.length + 1 })
      if (stored.status === 'pending' || after.status === 'succeeded') this.#state.move(stored, after, endOf(attempt))
    }
  }

  async settle(id: DeliveryId, after: Exclude<AfterAttempt, { status: 'pending' }>, now: number): Promise<void> {
    this.#begin('settle')
    this.#state.leased.delete(id)
    const stored = this.#state.deliveries.get(id)
    if (stored?.status === 'pending') this.#state.move(stored, after, now)
  }

  async health(webhookId: WebhookId): Promise<LaneHealth> {
    this.#begin('health')
    return this.#state.health.get(webhookId) ?? HEALTHY
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    this.#begin('forgetFailures')
    this.#state.health.delete(webhookId)
  }

  async expire(startedBefore: number, now: number, limit: number): Promise<number> {
    this.#begin('expire')
    const old = [...this.#state.waiting.values()]
      .flat()
      .filter(({ schedule }) => !isUntried(schedule) && schedule.startedAt < startedBefore)
      .slice(0, limit)
    for (const delivery of old) this.#state.move(delivery, { status: 'failed', reason: 'expired' }, now)
    return old.length
  }

  async correctTimes(now: number, after: TimesCursor | null, limit: number): Promise<TimesCursor | null> {
    this.#begin('correctTimes')
    const isAfter = ({ schedule, place }: StoredDelivery) =>
      after === null || (schedule.startedAt - after.startedAt || place - after.place) > 0
    const page = [...this.#state.waiting.values()]
      .flat()
      .filter(isAfter)
      .sort((a, b) => a.schedule.startedAt - b.schedule.startedAt || a.place - b.place)
      .slice(0, limit)
    const last = page.at(-1)
    const cursor = last && { startedAt: last.schedule.startedAt, place: last.place }
    for (const delivery of page) {
      this.#state.leave(delivery)
      correct(delivery, now)
      this.#state.wait(delivery)
    }
    return page.length < limit ? null : (cursor ?? null)
  }

  async cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    this.#begin('cancel')
    const pending = this.#state.all().filter((one) => one.webhookId === webhookId && one.status === 'pending')
    const some = pending.slice(0, limit)
    for (const delivery of some) this.#state.move(delivery, { status: 'cancelled' }, now)
    return some.length
  }

  async pendingCount(): Promise<number> {
    return this.#state.all().filter(({ status }) => status === 'pending').length
  }

  #begin(method: keyof DeliveryQueue, now = 0): void {
    this.#state.before(method)
    this.#state.releaseExpired(now)
  }

  #count(webhookId: WebhookId, attempt: Attempt, isSuccess: boolean): void {
    const { failingSince, failuresInARow } = this.#state.health.get(webhookId) ?? HEALTHY
    if (isSuccess) this.#state.health.delete(webhookId)
    else {
      const since = failingSince ?? endOf(attempt)
      this.#state.health.set(webhookId, { failingSince: since, failuresInARow: failuresInARow + 1 })
    }
  }
}

function endOf({ startedAt, durationMs }: Attempt): number {
  return Math.round(startedAt + durationMs)
}

/** No time is later than the wait of the delivery allows by the true clock. */
function correct(delivery: StoredDelivery, now: number): void {
  const { schedule, nextAttemptAt } = delivery
  const { startedAt, step, stepDueAt } = schedule
  let waitMs = 0
  if (!isUntried(schedule)) waitMs = RETRY_WAITS_MS[stepDueAt === null ? step - 1 : step] ?? 0
  const latest = now + waitMs
  delivery.nextAttemptAt = Math.min(nextAttemptAt ?? 0, latest)
  delivery.schedule = {
    startedAt: Math.min(startedAt, now),
    step,
    stepDueAt: stepDueAt === null ? null : Math.min(stepDueAt, latest),
  }
}

export function toDue({ id, webhookId, event, attempts, schedule }: StoredDelivery): DueDelivery {
  const { id: eventId, type: eventType, body } = event
  return { id, webhookId, eventId, eventType, body, attempts: attempts.length, schedule }
}

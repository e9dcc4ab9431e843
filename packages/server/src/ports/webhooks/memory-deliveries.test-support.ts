import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { DeliveryIntake, NewEvent } from './delivery-intake.ts'
import type { DeliveryDetail, DeliveryLog, DeliveryQuery, PlacedDelivery } from './delivery-log.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { Attempt, Delivery } from './delivery.ts'

interface Kept {
  delivery: PlacedDelivery
  readonly body: string
  readonly attempts: Attempt[]
}

/** Deliveries in memory for the use cases. They are never sent; `fail` and `succeed` set their outcome. */
export class MemoryDeliveries
  implements
    Pick<DeliveryIntake, 'add'>,
    Pick<DeliveryLog, 'list' | 'find' | 'redeliver' | 'redeliverFailed'>,
    Pick<DeliveryQueue, 'cancel' | 'forgetFailures'>
{
  /** Thrown by every method while it is set. */
  failure: Error | null = null
  /** The webhook of each `forgetFailures` call. */
  readonly forgotten: WebhookId[] = []
  readonly #kept = new Map<DeliveryId, Kept>()

  async add(events: readonly NewEvent[]): Promise<void> {
    this.insert(events)
  }

  insert(events: readonly NewEvent[]): void {
    this.#require()
    for (const { id: eventId, projectId, type: eventType, createdAt, body, deliveries } of events) {
      for (const { id, webhookId } of deliveries) {
        if (this.#kept.has(id)) continue
        const about = { id, webhookId, projectId, eventId, eventType, createdAt, place: this.#kept.size + 1 }
        const delivery: PlacedDelivery = { ...about, ...NEW, nextAttemptAt: createdAt }
        this.#kept.set(id, { delivery, body: Buffer.from(body).toString(), attempts: [] })
      }
    }
  }

  async list({
    webhookId,
    eventType,
    status,
    startTime,
    endTime,
    after,
    limit,
  }: DeliveryQuery): Promise<PlacedDelivery[]> {
    this.#require()
    return [...this.#kept.values()]
      .map(({ delivery }) => delivery)
      .toReversed()
      .filter(
        (one) =>
          one.webhookId === webhookId &&
          (eventType === null || one.eventType === eventType) &&
          (status === null || one.status === status) &&
          one.createdAt >= (startTime ?? 0) &&
          one.createdAt < (endTime ?? Infinity) &&
          one.place < (after ?? Infinity),
      )
      .slice(0, limit)
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    this.#require()
    const kept = this.#of(webhookId, id)
    return kept && { ...kept.delivery, body: kept.body, attemptList: [...kept.attempts] }
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    this.#require()
    const kept = this.#of(webhookId, id)
    return kept && this.#change(kept, { status: 'pending', reason: null, nextAttemptAt: now, finishedAt: null })
  }

  async redeliverFailed(webhookId: WebhookId, since: number, now: number, after: number | null, limit: number) {
    this.#require()
    const failed = [...this.#kept.values()]
      .filter(({ delivery: one }) => one.webhookId === webhookId && one.status === 'failed')
      .filter(({ delivery: one }) => one.createdAt >= since && one.place > (after ?? 0))
    const some = failed.slice(0, limit)
    for (const { delivery } of some) await this.redeliver(webhookId, delivery.id, now)
    return { count: some.length, after: failed.length > limit ? (some.at(-1)?.delivery.place ?? null) : null }
  }

  async cancel(webhookId: WebhookId, now: number, limit: number): Promise<number> {
    this.#require()
    const pending = [...this.#kept.values()].filter(
      ({ delivery }) => delivery.webhookId === webhookId && delivery.status === 'pending',
    )
    const some = pending.slice(0, limit)
    for (const kept of some) this.#change(kept, { status: 'cancelled', nextAttemptAt: null, finishedAt: now })
    return some.length
  }

  async forgetFailures(webhookId: WebhookId): Promise<void> {
    this.#require()
    this.forgotten.push(webhookId)
  }

  /** Ends a delivery with an attempt. */
  end(id: DeliveryId, attempt: Attempt): void {
    const kept = this.#kept.get(id)
    if (kept === undefined) throw new Error(`no delivery ${id}`)
    kept.attempts.push(attempt)
    const status = attempt.response?.status ?? null
    const succeeded = status !== null && status >= 200 && status < 300
    this.#change(kept, {
      status: succeeded ? 'succeeded' : 'failed',
      reason: succeeded ? null : 'attempts_exhausted',
      attempts: kept.attempts.length,
      lastResponseStatus: status,
      lastError: attempt.error?.code ?? null,
      lastAttemptAt: attempt.startedAt,
      nextAttemptAt: null,
      finishedAt: attempt.startedAt + attempt.durationMs,
    })
  }

  #change(kept: Kept, change: Partial<Delivery>): Delivery {
    kept.delivery = { ...kept.delivery, ...change }
    return kept.delivery
  }

  #of(webhookId: WebhookId, id: DeliveryId): Kept | undefined {
    const kept = this.#kept.get(id)
    return kept?.delivery.webhookId === webhookId ? kept : undefined
  }

  #require(): void {
    if (this.failure !== null) throw this.failure
  }
}

const NEW = {
  status: 'pending',
  reason: null,
  attempts: 0,
  lastResponseStatus: null,
  lastError: null,
  lastAttemptAt: null,
  finishedAt: null,
} as const

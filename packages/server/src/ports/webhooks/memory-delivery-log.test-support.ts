import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { ContentOwner } from './delivery-intake.ts'
import type { DeliveryDetail, DeliveryLog, DeliveryQuery, PlacedDelivery } from './delivery-log.ts'
import type { Delivery } from './delivery.ts'
import type { MemoryDeliveryState, StoredDelivery } from './memory-delivery-state.test-support.ts'

/** A fake of the log; passes delivery-log.conformance.ts. */
export class MemoryDeliveryLog implements DeliveryLog {
  readonly #state: MemoryDeliveryState

  constructor(state: MemoryDeliveryState) {
    this.#state = state
  }

  async list({ webhookId, eventType, status, startTime, endTime, after, limit }: DeliveryQuery) {
    this.#state.before('list')
    const matches = (one: PlacedDelivery) =>
      one.webhookId === webhookId &&
      (eventType === null || one.eventType === eventType) &&
      (status === null || one.status === status) &&
      one.createdAt >= (startTime ?? 0) &&
      one.createdAt < (endTime ?? Infinity) &&
      one.place < (after ?? Infinity)
    return this.#state.all().toReversed().map(toPlaced).filter(matches).slice(0, limit)
  }

  async find(webhookId: WebhookId, id: DeliveryId): Promise<DeliveryDetail | undefined> {
    this.#state.before('find')
    const found = this.#find(webhookId, id)
    if (found === undefined) return undefined
    const body = this.#state.bodiless.has(found.event.id) ? '' : Buffer.from(found.event.body).toString()
    return { ...toDelivery(found), body, attemptList: [...found.attempts] }
  }

  async redeliver(webhookId: WebhookId, id: DeliveryId, now: number): Promise<Delivery | undefined> {
    this.#state.before('redeliver')
    const found = this.#find(webhookId, id)
    if (found !== undefined) this.#redeliver(found, now)
    return found && toDelivery(found)
  }

  async redeliverFailed(webhookId: WebhookId, since: number, now: number, after: number | null, limit: number) {
    this.#state.before('redeliverFailed')
    const failed = this.#state
      .all()
      .filter((one) => one.webhookId === webhookId && one.status === 'failed' && one.event.createdAt >= since)
      .filter(({ place, event }) => place > (after ?? 0) && !this.#state.bodiless.has(event.id))
    const some = failed.slice(0, limit)
    for (const delivery of some) this.#redeliver(delivery, now)
    return { count: some.length, after: failed.length > limit ? (some.at(-1)?.place ?? null) : null }
  }

  async prune(finishedBefore: number, limit: number): Promise<number> {
    this.#state.before('prune')
    const old = this.#state.all().filter(({ finishedAt }) => finishedAt !== null && finishedAt < finishedBefore)
    return this.#remove(old.sort((a, b) => (a.finishedAt ?? 0) - (b.finishedAt ?? 0)).slice(0, limit))
  }

  async forgetContent(of: readonly ContentOwner[], now: number, limit: number): Promise<number> {
    this.#state.before('forgetContent')
    const { bodiless } = this.#state
    const events = new Set(this.#state.all().map(({ event }) => event))
    const some = [...events]
      .filter(({ id, contentOf }) => contentOf !== null && of.includes(contentOf) && !bodiless.has(id))
      .slice(0, limit)
    for (const event of some) {
      bodiless.add(event.id)
      const pending = this.#state.all().filter((one) => one.event === event && one.status === 'pending')
      for (const delivery of pending) this.#state.move(delivery, { status: 'failed', reason: 'trace_deleted' }, now)
    }
    return some.length
  }

  async webhookIds(): Promise<readonly WebhookId[]> {
    this.#state.before('webhookIds')
    return [...new Set([...this.#state.all().map(({ webhookId }) => webhookId), ...this.#state.health.keys()])]
  }

  async forgetWebhooks(deleted: readonly WebhookId[], limit: number): Promise<number> {
    this.#state.before('forgetWebhooks')
    for (const id of deleted) this.#state.health.delete(id)
    const gone = this.#state.all().filter(({ webhookId }) => deleted.includes(webhookId))
    return this.#remove(gone.slice(0, limit))
  }

  #remove(deliveries: readonly StoredDelivery[]): number {
    for (const delivery of deliveries) this.#state.remove(delivery)
    return deliveries.length
  }

  #redeliver(delivery: StoredDelivery, now: number): void {
    if (this.#state.leased.has(delivery.id) || this.#state.bodiless.has(delivery.event.id)) return
    const schedule = { startedAt: now, step: 0, stepDueAt: null }
    this.#state.move(delivery, { status: 'pending', nextAttemptAt: now, schedule }, now)
  }

  #find(webhookId: WebhookId, id: DeliveryId): StoredDelivery | undefined {
    const found = this.#state.deliveries.get(id)
    return found?.webhookId === webhookId ? found : undefined
  }
}

function toDelivery({ event, attempts, ...delivery }: StoredDelivery): Delivery {
  const last = attempts.at(-1)
  return {
    id: delivery.id,
    webhookId: delivery.webhookId,
    projectId: event.projectId,
    eventId: event.id,
    eventType: event.type,
    status: delivery.status,
    reason: delivery.reason,
    createdAt: event.createdAt,
    attempts: attempts.length,
    lastResponseStatus: last?.response?.status ?? null,
    lastError: last?.error?.code ?? null,
    lastAttemptAt: last?.startedAt ?? null,
    nextAttemptAt: delivery.nextAttemptAt,
    finishedAt: delivery.finishedAt,
  }
}

function toPlaced(delivery: StoredDelivery): PlacedDelivery {
  return { ...toDelivery(delivery), place: delivery.place }
}

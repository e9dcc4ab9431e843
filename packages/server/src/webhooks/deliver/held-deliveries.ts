import type { DeliveryId, WebhookId } from '@spoor/contract/ids'
import type { DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'

/**
 * The deliveries leased by this machine, until their results are written or they are released: none is taken twice if
 * its lease expires early.
 */
export class HeldDeliveries {
  readonly #queue: Pick<DeliveryQueue, 'release'>
  readonly #ids = new Set<DeliveryId>()
  readonly #counts = new Map<WebhookId, number>()
  #bytes = 0
  /** Still leased: their release failed. */
  #toRelease: DueDelivery[] = []

  constructor(queue: Pick<DeliveryQueue, 'release'>) {
    this.#queue = queue
  }

  get count(): number {
    return this.#ids.size
  }

  /** Sum of their bodies. */
  get bytes(): number {
    return this.#bytes
  }

  /** Those of one subscription. */
  countOf(webhookId: WebhookId): number {
    return this.#counts.get(webhookId) ?? 0
  }

  has(id: DeliveryId): boolean {
    return this.#ids.has(id)
  }

  /** No effect if it is held. */
  hold({ id, webhookId, body }: DueDelivery): void {
    if (this.#ids.has(id)) return
    this.#ids.add(id)
    this.#bytes += body.length
    this.#counts.set(webhookId, this.countOf(webhookId) + 1)
  }

  drop({ id, webhookId, body }: DueDelivery): void {
    if (!this.#ids.delete(id)) return
    this.#bytes -= body.length
    const count = this.countOf(webhookId) - 1
    if (count > 0) this.#counts.set(webhookId, count)
    else this.#counts.delete(webhookId)
  }

  /**
   * Releases these deliveries, and others whose release failed before; returns how many. They stay held until the store
   * has released them, since they must not be sent meanwhile.
   *
   * @throws what the store throws
   */
  async giveBack(deliveries: readonly DueDelivery[]): Promise<number> {
    this.#toRelease.push(...deliveries)
    const given = this.#toRelease
    if (given.length === 0) return 0
    await this.#queue.release(given.map(({ id }) => id))
    for (const delivery of given) this.drop(delivery)
    this.#toRelease = []
    return given.length
  }
}

import type { DeliveryId } from '@spoor/contract/ids'
import type { DueDelivery } from '../../ports/webhooks/delivery.ts'
import type { DeliveryQueue } from '../../ports/webhooks/delivery-queue.ts'

/** Leased by this machine, until their results are written or they are given back: a lease that ends too early is not taken twice. */
export class HeldDeliveries {
  readonly #queue: Pick<DeliveryQueue, 'release'>
  readonly #ids = new Set<DeliveryId>()
  #bytes = 0
  /** Still leased: the store did not take them back. */
  #toRelease: DueDelivery[] = []

  constructor(queue: Pick<DeliveryQueue, 'release'>) {
    this.#queue = queue
  }

  get count(): number {
    return this.#ids.size
  }

  /** Of their bodies. */
  get bytes(): number {
    return this.#bytes
  }

  has(id: DeliveryId): boolean {
    return this.#ids.has(id)
  }

  /** One that is held already stays so. */
  hold({ id, body }: DueDelivery): void {
    if (this.#ids.has(id)) return
    this.#ids.add(id)
    this.#bytes += body.length
  }

  letGo({ id, body }: DueDelivery): void {
    if (this.#ids.delete(id)) this.#bytes -= body.length
  }

  /**
   * With those that could not be given back before; returns how many. They are held until the store takes them: nobody looks for what is leased, and nobody may send it meanwhile.
   *
   * @throws what the store throws
   */
  async giveBack(deliveries: readonly DueDelivery[]): Promise<number> {
    this.#toRelease.push(...deliveries)
    const given = this.#toRelease
    if (given.length === 0) return 0
    await this.#queue.release(given.map(({ id }) => id))
    for (const delivery of given) this.letGo(delivery)
    this.#toRelease = []
    return given.length
  }
}

import type { DeliveryStateRow } from './delivery-tables.ts'

/** What a power loss cannot undo, where commits alone are not durable. */
export class DurableState {
  readonly #flush: () => Promise<void>
  #place: number
  #position: number | null

  /**
   * @param state is durable
   * @param flush resolves when all commits before the call are durable
   */
  constructor(state: DeliveryStateRow, flush: () => Promise<void>) {
    this.#place = state.last_place
    this.#position = state.position
    this.#flush = flush
  }

  /** Deliveries up to this place are durable; those after it cannot be leased. */
  get place(): number {
    return this.#place
  }

  get position(): number | null {
    return this.#position
  }

  flush(): Promise<void> {
    return this.#flush()
  }

  /** Makes a commit durable that left this state. Later commits reach theirs later. */
  async reach(state: DeliveryStateRow): Promise<void> {
    await this.#flush()
    this.#place = Math.max(this.#place, state.last_place)
    this.#position = state.position
  }
}

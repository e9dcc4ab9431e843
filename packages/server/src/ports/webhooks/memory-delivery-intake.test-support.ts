import type { DeliveryIntake, NewEvent } from './delivery-intake.ts'
import type { MemoryDeliveryState } from './memory-delivery-state.test-support.ts'

/** A fake of the intake; passes delivery-intake.conformance.ts. */
export class MemoryDeliveryIntake implements DeliveryIntake {
  readonly #state: MemoryDeliveryState

  constructor(state: MemoryDeliveryState) {
    this.#state = state
  }

  async position(): Promise<number | null> {
    this.#state.before('position')
    return this.#state.position
  }

  async add(events: readonly NewEvent[], position: number | null): Promise<void> {
    this.#state.before('add')
    this.#state.add(events)
    if (position !== null) this.#state.position = Math.max(position, this.#state.position ?? 0)
  }

  async setPosition(position: number): Promise<void> {
    this.#state.before('setPosition')
    this.#state.position = position
  }
}

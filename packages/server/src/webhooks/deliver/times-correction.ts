import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { DeliveryQueue, TimesCursor } from '../../ports/webhooks/delivery-queue.ts'

export interface TimesCorrectionDependencies {
  readonly queue: Pick<DeliveryQueue, 'correctTimes'>
  readonly clock: Clock
  readonly timers: Timers
}

/** A clock that is set changes by more than this against the timers; one that is slewed does not, between two looks. */
const STEP_MS = 1000
/** Deliveries read without a break, some milliseconds. */
const BATCH = 1000

/**
 * Notices that the wall clock was set, and corrects the times of deliveries that it had set while it was ahead: without that they would wait until the true time reaches them. Every start corrects too, because the clock may
 * have been set while the service was down.
 */
export class TimesCorrection {
  readonly #dependencies: TimesCorrectionDependencies
  /** Wall clock minus timers. */
  #offset = 0
  #correction: { readonly after: TimesCursor | null } | null = { after: null }

  constructor(dependencies: TimesCorrectionDependencies) {
    this.#dependencies = dependencies
  }

  /** To be called once, before the others. */
  start(): void {
    this.#offset = this.#readOffset()
  }

  /** Returns whether the clock was set since the last look. When it went back, `correct` is to be called. */
  look(): boolean {
    const stepMs = this.#readOffset() - this.#offset
    this.#offset += stepMs
    if (stepMs < -STEP_MS) this.#correction = { after: null }
    return Math.abs(stepMs) > STEP_MS
  }

  /**
   * Corrects some; returns whether there may be more.
   *
   * @throws what the store throws: the next call goes on where this one began
   */
  async correct(): Promise<boolean> {
    if (this.#correction === null) return false
    const { queue, clock } = this.#dependencies
    const after = await queue.correctTimes(clock.now(), this.#correction.after, BATCH)
    this.#correction = after === null ? null : { after }
    return after !== null
  }

  #readOffset(): number {
    return this.#dependencies.clock.now() - this.#dependencies.timers.now()
  }
}

import type { Clock } from '../../lib/time/clock.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { DeliveryQueue, TimesCursor } from '../../ports/webhooks/delivery-queue.ts'

export interface TimesCorrectionDependencies {
  readonly queue: Pick<DeliveryQueue, 'correctTimes'>
  readonly clock: Clock
  readonly timers: Timers
}

/** A larger difference to the timers means that the clock was set. Slewing it differs less between two checks. */
const STEP_MS = 1000
/** Deliveries read before yielding to other work: a few milliseconds. */
const BATCH = 1000

/**
 * Detects that the wall clock was set, and corrects delivery times set while it was ahead: otherwise they would wait
 * for the true time to reach them. Each start corrects too: the clock may have been set while the service was down.
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

  /** Returns whether the clock was set since the last call. If it went back, call `correct`. */
  detectStep(): boolean {
    const stepMs = this.#readOffset() - this.#offset
    this.#offset += stepMs
    if (stepMs < -STEP_MS) this.#correction = { after: null }
    return Math.abs(stepMs) > STEP_MS
  }

  /**
   * Corrects one batch; returns whether there may be more.
   *
   * @throws what the store throws; the next call repeats the batch
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

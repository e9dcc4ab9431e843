import type { Clock } from '../lib/time/clock.ts'
import type { Timers } from '../lib/time/timers.ts'

export interface ClockStep {
  /** The least time expected: that of the last commit, or of the last check plus the time since. */
  readonly expectedMs: number
  readonly clockMs: number
}

export interface ClockWatchDependencies {
  readonly clock: Clock
  /** Their time advances evenly, whatever happens to the clock. */
  readonly timers: Pick<Timers, 'now'>
  /** Time of the store's last commit; null for a new store. */
  readonly lastCommittedAt: number | null
  /** Called once for each step. */
  readonly onStep: (step: ClockStep) => void
}

/** Smaller steps are normal for time servers and busy machines. */
const TOLERATED_MS = 60_000

/**
 * Notices a clock that is behind the last commit at the start, and one that steps between two checks. How long the
 * service was down is not known, so a clock that is ahead at the start is only noticed when it is corrected. A machine
 * that slept looks like a step ahead.
 */
export class ClockWatch {
  readonly #dependencies: ClockWatchDependencies
  #clockMs: number
  #timerMs: number

  constructor(dependencies: ClockWatchDependencies) {
    const { clock, timers, lastCommittedAt, onStep } = dependencies
    this.#dependencies = dependencies
    this.#clockMs = clock.now()
    this.#timerMs = timers.now()
    if (lastCommittedAt !== null && lastCommittedAt - this.#clockMs > TOLERATED_MS)
      onStep({ expectedMs: lastCommittedAt, clockMs: this.#clockMs })
  }

  look(): void {
    const { clock, timers, onStep } = this.#dependencies
    const [clockMs, timerMs] = [clock.now(), timers.now()]
    const expectedMs = this.#clockMs + (timerMs - this.#timerMs)
    this.#clockMs = clockMs
    this.#timerMs = timerMs
    if (Math.abs(clockMs - expectedMs) > TOLERATED_MS) onStep({ expectedMs, clockMs })
  }
}

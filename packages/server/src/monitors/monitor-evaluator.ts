import type { Clock } from '../lib/time/clock.ts'
import type { Timers } from '../lib/time/timers.ts'
import { evaluationTimeAt, type PassedOver } from './due-times.ts'
import { evaluateRound, type RoundDependencies } from './evaluate-round.ts'
import type { Lease, LeaseStore } from '../ports/leases/lease-store.ts'

export interface MonitorEvaluatorDependencies extends RoundDependencies {
  readonly leases: LeaseStore
  /** Name of this service among those on one store. A service that restarts under its name takes over its own lease. */
  readonly holder: string
  readonly clock: Clock
  readonly timers: Timers
}

/** Of several services on one store, the holder of this lease evaluates. */
const EVALUATION = 'monitors'
/** A lease lasts this many intervals, plus some seconds for slow rounds. */
const LEASE_INTERVALS = 2
const LEASE_EXTRA_MS = 15_000

/**
 * Evaluates all monitors at each evaluation time, one round after the other. Times that pass while a round is running
 * are skipped. Other missed times, because nothing was evaluated or a round failed, are caught up.
 */
export class MonitorEvaluator {
  readonly #dependencies: MonitorEvaluatorDependencies
  #running: Promise<void> | null = null
  #cancel: () => void = () => undefined
  #isStopping = false
  #passedOver: PassedOver | null = null
  /** The evaluation time of the last round, and the last one that passed before its end. */
  #roundAt = -Infinity
  #passedThrough = -Infinity
  #lease: Lease | null = null
  /** When it was taken or renewed, by the timers, which do not jump. */
  #heldAt = -Infinity

  constructor(dependencies: MonitorEvaluatorDependencies) {
    this.#dependencies = dependencies
  }

  /** The first round runs at once. Call it once. */
  start(): void {
    this.#tick()
  }

  /** Resolves when no round is running. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Ends after the evaluations in progress and lets another service take over. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancel()
    await this.#running
    try {
      if (this.#lease !== null) await this.#dependencies.leases.release(this.#lease)
    } catch (error) {
      this.#dependencies.onError(
        error,
        'the lease on monitor evaluation could not be released; another service takes over when it ends',
      )
    }
  }

  #tick(): void {
    if (this.#isStopping) return
    const { clock, timers, intervalMs } = this.#dependencies
    const now = clock.now()
    const at = evaluationTimeAt(now, intervalMs)
    this.#cancel = timers.after(at + intervalMs - now, () => this.#tick())
    if (this.#running !== null) this.#passedThrough = at
    // Timers and clock differ: a timer may fire a moment before its time.
    else if (at !== this.#roundAt) this.#running = this.#round(at).finally(() => (this.#running = null))
  }

  async #round(at: number): Promise<void> {
    this.#roundAt = at
    this.#passedThrough = at
    try {
      const lease = (await this.#renew()) ?? (await this.#take())
      if (lease === null) return
      const goOn = () => this.#mayGoOn()
      await evaluateRound(this.#dependencies, { at, passedOver: this.#passedOver, lease, goOn })
      const through = this.#passedThrough
      this.#passedOver = through > at ? { from: at, through } : null
    } catch (error) {
      this.#dependencies.onError(error, 'a round of monitors failed; the next one tries again')
    }
  }

  /** Renews the lease during a long round. A round continues under the lease that it began with, or ends. */
  async #mayGoOn(): Promise<boolean> {
    const { timers, intervalMs } = this.#dependencies
    if (this.#isStopping) return false
    if (timers.now() - this.#heldAt < intervalMs) return true
    return (await this.#renew()) !== null
  }

  async #take(): Promise<Lease | null> {
    const { leases, holder } = this.#dependencies
    return this.#keep(await leases.take(EVALUATION, holder, this.#durationMs))
  }

  /** Null when there is no lease to renew. */
  async #renew(): Promise<Lease | null> {
    if (this.#lease === null) return null
    return this.#keep(await this.#dependencies.leases.renew(this.#lease, this.#durationMs))
  }

  #keep(lease: Lease | null): Lease | null {
    this.#lease = lease
    this.#heldAt = this.#dependencies.timers.now()
    return lease
  }

  get #durationMs(): number {
    return LEASE_INTERVALS * this.#dependencies.intervalMs + LEASE_EXTRA_MS
  }
}

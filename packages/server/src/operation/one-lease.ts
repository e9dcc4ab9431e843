import type { Timers } from '../lib/time/timers.ts'
import type { Lease, LeaseEpoch, LeaseStore } from '../ports/leases/lease-store.ts'
import { LeasedRunner, type LeasedRunnerOptions } from './leased-runner.ts'

export interface OneLeaseOptions extends Pick<
  LeasedRunnerOptions,
  'name' | 'leases' | 'holder' | 'onError' | 'isFree'
> {
  readonly timers: Timers
}

/**
 * The one lease of a node: whoever holds it does all work that only one node may do. The parts of that work take this
 * lease, which costs no query; their writes carry its epoch, and are refused once another node has taken it.
 */
export class OneLease implements LeaseStore {
  readonly #runner: LeasedRunner
  readonly #holder: string
  #held: LeaseEpoch | null = null
  #takes = 0

  constructor(options: OneLeaseOptions) {
    this.#holder = options.holder
    this.#runner = new LeasedRunner({
      ...options,
      start: async (lease) => {
        this.#held = lease
        this.#takes += 1
        return { stop: async () => void (this.#held = null) }
      },
    })
  }

  /** Null while this node does not hold it, as far as it knows. */
  get held(): LeaseEpoch | null {
    return this.#held
  }

  /** How often this node has taken it. */
  get takes(): number {
    return this.#takes
  }

  /** Call it once. */
  start(): void {
    this.#runner.start()
  }

  /** Lets another node take it at once. The parts MUST have stopped. */
  stop(): Promise<void> {
    return this.#runner.stop()
  }

  async take(): Promise<Lease | null> {
    return this.#held === null ? null : { ...this.#held, holder: this.#holder, until: Infinity }
  }

  async renew({ epoch }: LeaseEpoch): Promise<Lease | null> {
    return this.#held?.epoch === epoch ? await this.take() : null
  }

  async release(): Promise<void> {}
}

import type { Clock } from '../../lib/time/clock.ts'
import type { Lease, LeaseEpoch, LeaseStore } from './lease-store.ts'

/** For tests: leases in a map. */
export class MemoryLeaseStore implements LeaseStore {
  readonly #clock: Clock
  readonly #leases = new Map<string, Lease>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether what carries this epoch may be written. */
  isCurrent({ name, epoch }: LeaseEpoch): boolean {
    return this.#leases.get(name)?.epoch === epoch
  }

  async take(name: string, holder: string, durationMs: number): Promise<Lease | null> {
    const present = this.#leases.get(name)
    const left = present === undefined ? 0 : present.until - this.#clock.now()
    if (present?.holder !== holder && left > 0 && left <= 2 * durationMs) return null
    return this.#put({ name, holder, epoch: (present?.epoch ?? 0) + 1, until: this.#clock.now() + durationMs })
  }

  async renew(lease: LeaseEpoch, durationMs: number): Promise<Lease | null> {
    const present = this.#leases.get(lease.name)
    if (present?.epoch !== lease.epoch) return null
    return this.#put({ ...present, until: this.#clock.now() + durationMs })
  }

  async release(lease: LeaseEpoch): Promise<void> {
    const present = this.#leases.get(lease.name)
    if (present?.epoch === lease.epoch) this.#put({ ...present, epoch: lease.epoch + 1, until: 0 })
  }

  #put(lease: Lease): Lease {
    this.#leases.set(lease.name, lease)
    return lease
  }
}

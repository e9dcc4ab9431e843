import type { Lease, LeaseEpoch, LeaseStore } from '../ports/leases/lease-store.ts'
import type { WhileLeasedOptions } from '../ports/leases/while-leased.ts'

/** Another node takes it within TAKE_MS, and starts the parts within TAKE_MS: 10 s at most. */
const LEASE_MS = 8000
const RENEW_MS = 3000
/** How soon another node notices that a lease has ended. */
const TAKE_MS = 1000

/** Whether a lease that ends then may be taken now: see LeaseStore.take. */
export function isEnded(until: number, now: number): boolean {
  return until <= now || until > now + 2 * LEASE_MS
}

export interface LeasedPart {
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export interface LeasedRunnerOptions extends WhileLeasedOptions {
  /**
   * Starts the part. Its writes MUST carry the lease, because a node that was stopped and resumes may write before it
   * notices that another has taken the lease. If it rejects, the lease is released and the start is tried again.
   */
  readonly start: (lease: LeaseEpoch) => Promise<LeasedPart>
  /** Whether it makes sense to try to take the lease. Not given: always. */
  readonly isFree?: () => boolean
  /** Called for the first of consecutive failures. */
  readonly onError: (error: unknown, message: string) => void
}

/**
 * Runs a part at one node at a time: while this node holds a named lease of 8 s, renewed every 3 s. The part is
 * stopped when another has taken the lease, and when the lease could not be renewed before its end by the timers. It
 * starts again with the next taking, after it has stopped.
 */
export class LeasedRunner {
  readonly #options: LeasedRunnerOptions
  #lease: Lease | null = null
  /** When it was last renewed, by the timers: no later than when the store wrote it. */
  #renewedAt = -Infinity
  #part: Promise<LeasedPart> | null = null
  /** Resolves when the last part has stopped. Never rejects. */
  #ended: Promise<void> = Promise.resolve()
  #step: Promise<void> | null = null
  #cancelTicks: () => void = () => undefined
  #cancelEnd: () => void = () => undefined
  #isStopping = false
  #hasFailed = false

  constructor(options: LeasedRunnerOptions) {
    this.#options = options
  }

  /** Whether this node holds the lease, as far as it knows. */
  get isHolder(): boolean {
    return this.#lease !== null
  }

  /** Call it once. */
  start(): void {
    this.#cancelTicks = this.#options.timers.every(TAKE_MS, () => this.#tick())
    this.#tick()
  }

  /** Stops the part, then lets another node take over. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelTicks()
    await this.#step
    const lease = this.#lease
    this.#end()
    await this.#ended
    if (lease !== null) await this.#guard(() => this.#options.leases.release(lease))
  }

  #tick(): void {
    if (this.#isStopping) return
    const { timers, isFree } = this.#options
    if (this.#lease === null ? isFree?.() === false : timers.now() < this.#renewedAt + RENEW_MS) return
    this.#step ??= this.#guard(() => (this.#lease === null ? this.#take() : this.#renew(this.#lease))).finally(
      () => (this.#step = null),
    )
  }

  async #take(): Promise<void> {
    const { name, holder, leases, timers, start } = this.#options
    await this.#ended
    const askedAt = timers.now()
    const lease = await leases.take(name, holder, LEASE_MS)
    if (lease === null) {
      this.#hasFailed = false
      return
    }
    if (this.#isStopping) return leases.release(lease)
    this.#lease = lease
    this.#holdUntil(askedAt)
    const part = start(lease)
    this.#part = part
    part
      .then(() => (this.#hasFailed = false))
      .catch(async (error: unknown) => {
        this.#report(error)
        if (this.#lease !== lease) return
        this.#end()
        await this.#guard(() => leases.release(lease))
      })
  }

  async #renew(lease: Lease): Promise<void> {
    const { leases, timers } = this.#options
    const askedAt = timers.now()
    const renewed = await leases.renew(lease, LEASE_MS)
    // It may have ended meanwhile; then the part has been stopped, and the lease is taken anew.
    if (this.#lease !== lease) return
    this.#hasFailed = false
    if (renewed === null) this.#end()
    else this.#holdUntil(askedAt)
  }

  #holdUntil(askedAt: number): void {
    const { timers } = this.#options
    this.#renewedAt = askedAt
    this.#cancelEnd()
    this.#cancelEnd = timers.after(askedAt + LEASE_MS - timers.now(), () => this.#end())
  }

  #end(): void {
    const part = this.#part
    this.#lease = null
    this.#part = null
    this.#cancelEnd()
    if (part === null) return
    this.#ended = part.then(
      (started) => this.#guard(() => started.stop()),
      // Reported by `#take`.
      () => undefined,
    )
  }

  async #guard(run: () => Promise<void>): Promise<void> {
    try {
      await run()
    } catch (error) {
      this.#report(error)
    }
  }

  #report(error: unknown): void {
    const { name, onError } = this.#options
    if (!this.#hasFailed) onError(error, `the work of the lease "${name}" failed; this node tries again`)
    this.#hasFailed = true
  }
}

/** A lease that a LeasedRunner renews, for a part that takes leases itself. Its writes are refused once it is stale. */
export function heldLease(lease: LeaseEpoch, holder: string): LeaseStore {
  const held: Lease = { name: lease.name, epoch: lease.epoch, holder, until: Infinity }
  return {
    take: async () => held,
    renew: async () => held,
    release: async () => undefined,
  }
}

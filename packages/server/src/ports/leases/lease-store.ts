/** Under what somebody writes: a lease and which of its takings. */
export interface LeaseEpoch {
  readonly name: string
  /** Grows whenever the lease changes hands, from 1. Never the same for two holders. */
  readonly epoch: number
}

/** A write under a lease that another has taken since: nothing was written. Whoever wrote it MUST stop. */
export class StaleLeaseError extends Error {
  constructor({ name, epoch }: LeaseEpoch) {
    super(`the lease "${name}" of epoch ${epoch} has been taken by another`)
  }
}

export interface Lease extends LeaseEpoch {
  /** Who took it. */
  readonly holder: string
  /** When it ends unless it is renewed, milliseconds since 1970 UTC by the clock of the store. */
  readonly until: number
}

/**
 * Named leases: of all processes on one store, at most one does the work of a lease. A process that was stopped and
 * resumes, or has a wrong clock, may still believe that it holds a lease that another has taken since. So every write
 * under a lease MUST carry its `LeaseEpoch`, and the store MUST refuse it, in the transaction of the write, when the
 * epoch is no longer the lease's. An expired lease is not stale by itself: until another process takes it, its holder
 * may write and renew.
 *
 * Methods reject with DomainError `disk_full` or `storage_unavailable`: nothing is changed then.
 */
export interface LeaseStore {
  /**
   * Takes the lease under a new epoch, until `durationMs` from now. Null, and nothing is changed, while another holds
   * it. A lease of the same `holder` is taken over at once: a process that starts again under its name need not wait
   * for the end of its own lease, and what its former self may still write is refused. A lease that ends more than
   * twice `durationMs` from now counts as ended: the clock was set back.
   */
  take(name: string, holder: string, durationMs: number): Promise<Lease | null>
  /** Moves the end to `durationMs` from now and keeps the epoch. Null when another has taken it, or it was released. */
  renew(lease: LeaseEpoch, durationMs: number): Promise<Lease | null>
  /**
   * Ends it, so that another need not wait; the epoch is stale from now on. Nothing happens when it is stale already.
   */
  release(lease: LeaseEpoch): Promise<void>
}

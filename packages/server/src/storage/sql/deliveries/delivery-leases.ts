import type { DeliveryId } from '@spoor/contract/ids'
import type { StoredLane, StoredLanes } from './stored-lanes.ts'

export interface DeliveryLease {
  readonly id: DeliveryId
  readonly place: number
  readonly lane: StoredLane
  readonly until: number
}

/** Leased deliveries, in memory only: one process owns the store, so its death frees all leases. */
export class DeliveryLeases {
  readonly #lanes: Pick<StoredLanes, 'invalidate'>
  readonly #byId = new Map<DeliveryId, DeliveryLease>()
  /** No lease ends earlier. */
  #firstEnd = Infinity

  constructor(lanes: Pick<StoredLanes, 'invalidate'>) {
    this.#lanes = lanes
  }

  get size(): number {
    return this.#byId.size
  }

  find(id: DeliveryId): DeliveryLease | undefined {
    return this.#byId.get(id)
  }

  add(lease: DeliveryLease): void {
    this.#byId.set(lease.id, lease)
    lease.lane.leased.add(lease.place)
    this.#firstEnd = Math.min(this.#firstEnd, lease.until)
  }

  /** Ends a lease after its attempt. The caller reports whether and when the delivery is due again. */
  end(lease: DeliveryLease): void {
    this.#byId.delete(lease.id)
    lease.lane.leased.delete(lease.place)
  }

  /** Ends a lease without an attempt. The due time stays. */
  release(lease: DeliveryLease): void {
    this.end(lease)
    this.#lanes.invalidate(lease.lane)
  }

  /** Releases expired leases. Cheap if there can be none. */
  sweep(now: number): void {
    if (now < this.#firstEnd) return
    let firstEnd = Infinity
    for (const lease of this.#byId.values()) {
      if (lease.until <= now) this.release(lease)
      else firstEnd = Math.min(firstEnd, lease.until)
    }
    this.#firstEnd = firstEnd
  }
}

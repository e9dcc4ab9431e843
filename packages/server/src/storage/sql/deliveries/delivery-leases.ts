import type { DeliveryId } from '@spoor/contract/ids'
import type { StoredLane, StoredLanes } from './stored-lanes.ts'

export interface DeliveryLease {
  readonly id: DeliveryId
  readonly place: number
  readonly lane: StoredLane
  readonly until: number
}

/** Who is at work on which delivery. In memory alone: one process owns the store, so its death frees all of them at once. */
export class DeliveryLeases {
  readonly #lanes: Pick<StoredLanes, 'doubt'>
  readonly #byId = new Map<DeliveryId, DeliveryLease>()
  /** None ends before. */
  #firstEnd = Infinity

  constructor(lanes: Pick<StoredLanes, 'doubt'>) {
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

  /** Ends a lease after its attempt: whether and when the delivery is due again is for the caller to tell. */
  end(lease: DeliveryLease): void {
    this.#byId.delete(lease.id)
    lease.lane.leased.delete(lease.place)
  }

  /** Ends a lease without an attempt: as due as before. */
  giveBack(lease: DeliveryLease): void {
    this.end(lease)
    this.#lanes.doubt(lease.lane)
  }

  /** Gives those back that have passed their end. Looks at them only when there may be one. */
  sweep(now: number): void {
    if (now < this.#firstEnd) return
    let firstEnd = Infinity
    for (const lease of this.#byId.values()) {
      if (lease.until <= now) this.giveBack(lease)
      else firstEnd = Math.min(firstEnd, lease.until)
    }
    this.#firstEnd = firstEnd
  }
}

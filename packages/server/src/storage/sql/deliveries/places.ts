/** Places of one millisecond. With so many, places are safe integers until the year 2248. */
const PER_MS = 1024

/**
 * Places of deliveries in the list. They grow with each delivery and contain its time: never an earlier millisecond,
 * but a later one if the clock went back or many deliveries came at once. `leadMs` is the largest such difference; it
 * bounds what a query of a time range reads.
 */
export class Places {
  #last: number
  #leadMs: number

  constructor(last: number, leadMs: number) {
    this.#last = last
    this.#leadMs = leadMs
  }

  get last(): number {
    return this.#last
  }

  get leadMs(): number {
    return this.#leadMs
  }

  /** The place after `last` for a delivery created at `createdAt`. Does not take it: see `took`. */
  static next(last: number, createdAt: number): number {
    return Math.max(last + 1, createdAt * PER_MS)
  }

  static leadOf(place: number, createdAt: number): number {
    return Math.floor(place / PER_MS) - createdAt
  }

  /** Call after the deliveries up to `last` are committed. */
  took(last: number, leadMs: number): void {
    this.#last = last
    this.#leadMs = leadMs
  }

  /** Every delivery created at `time` or later has this place or a later one. */
  from(time: number | null): number {
    return time === null ? 0 : Math.max(0, time * PER_MS)
  }

  /** Every delivery created before `time` has a place before this one. */
  before(time: number | null): number {
    return time === null
      ? Number.MAX_SAFE_INTEGER
      : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, (time + this.#leadMs) * PER_MS))
  }
}

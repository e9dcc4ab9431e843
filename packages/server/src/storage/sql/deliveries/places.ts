/** Places in one millisecond before they run ahead of it: with so many, places are exact numbers until the year 2248. */
const PER_MS = 1024

/**
 * Places of deliveries in the list. They grow with each delivery, and tell about when it was created: never a place before that millisecond, but later ones when the clock
 * stepped back, or many came at once. By how much later at most (`leadMs`) is kept, so that a question about times reads no more of the list than it must.
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

  /** The place behind `last`, of a delivery created at `createdAt`. Takes nothing: see `took`. */
  static behind(last: number, createdAt: number): number {
    return Math.max(last + 1, createdAt * PER_MS)
  }

  static leadOf(place: number, createdAt: number): number {
    return Math.floor(place / PER_MS) - createdAt
  }

  /** To be called once the deliveries up to `last` are there. */
  took(last: number, leadMs: number): void {
    this.#last = last
    this.#leadMs = leadMs
  }

  /** Every delivery created at `time` or later has this place or one behind it. */
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

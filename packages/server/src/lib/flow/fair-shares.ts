/**
 * Divides a limited resource, such as bytes or connections, between owners. An owner may hold as much as stays free for
 * the others: one owner alone gets half, two get a third each. So one owner can never take everything from later
 * owners.
 */
export class FairShares {
  readonly #limit: number
  readonly #held = new Map<string, number>()
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get used(): number {
    return this.#used
  }

  /**
   * Takes all of `amount` or nothing. `already` is the amount that the same request holds: it may grow as if it took
   * the total at once, so the first request of an owner may take everything that is free.
   */
  tryTake(owner: string, amount: number, already = 0): boolean {
    const held = this.#held.get(owner) ?? 0
    const free = this.#limit - this.#used
    if (amount > free || held + amount > free + already) return false
    this.#held.set(owner, held + amount)
    this.#used += amount
    return true
  }

  /** The released amounts MUST add up to the amounts taken. */
  release(owner: string, amount: number): void {
    const held = (this.#held.get(owner) ?? 0) - amount
    if (held < 0) throw new Error('more was released than was taken')
    this.#used -= amount
    if (held === 0) this.#held.delete(owner)
    else this.#held.set(owner, held)
  }
}

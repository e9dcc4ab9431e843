/**
 * A multiset of numbers from a known set, with look-up by rank. Every change and look-up takes O(log n) steps for a set
 * of n.
 */
export class RankedCounts {
  readonly #values: Float64Array
  /** Binary indexed tree: cell `i` sums the counts of the `i & -i` values that end at value `i`, counted from 1. */
  readonly #tree: Float64Array
  #size = 0

  /** `values`: ascending and distinct. */
  constructor(values: Float64Array) {
    this.#values = values
    this.#tree = new Float64Array(values.length + 1)
  }

  get size(): number {
    return this.#size
  }

  /** Adds `count` occurrences of the value at this index of `values`; a negative count removes them. */
  add(place: number, count: number): void {
    this.#size += count
    for (let cell = place + 1; cell < this.#tree.length; cell += cell & -cell) {
      this.#tree[cell] = (this.#tree[cell] as number) + count
    }
  }

  /** Interpolated linearly between the neighbours of rank `share * (size - 1)`, counted from 0. MUST NOT be empty. */
  quantile(share: number): number {
    const rank = share * (this.#size - 1)
    const below = this.#atRank(Math.floor(rank))
    if (Number.isInteger(rank)) return below
    const above = this.#atRank(Math.ceil(rank))
    const weight = rank - Math.floor(rank)
    return below * (1 - weight) + above * weight
  }

  #atRank(rank: number): number {
    let place = 0
    let left = rank
    for (let step = 2 ** Math.floor(Math.log2(this.#tree.length)); step >= 1; step /= 2) {
      const next = place + step
      if (next < this.#tree.length && (this.#tree[next] as number) <= left) {
        place = next
        left -= this.#tree[next] as number
      }
    }
    return this.#values[place] as number
  }
}

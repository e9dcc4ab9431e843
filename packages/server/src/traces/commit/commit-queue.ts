interface Queued {
  readonly operation: { readonly owner: string; readonly bytes: number }
}

/** Operations that wait for a commit. Owners take turns; the operations of one owner keep their order. */
export class CommitQueue<T extends Queued> {
  /** By owner, in the order of their turns. None is empty. */
  readonly #lanes = new Map<string, T[]>()
  #length = 0
  #bytes = 0

  get length(): number {
    return this.#length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(item: T): void {
    this.#laneOf(item).push(item)
    this.#count(item, 1)
  }

  /** Removes the next operation, and moves its owner to the end. Undefined if there is none, or it does not fit. */
  next(fits: (item: T) => boolean): T | undefined {
    for (const [owner, lane] of this.#lanes) {
      const head = lane[0] as T
      if (!fits(head)) return undefined
      lane.shift()
      this.#lanes.delete(owner)
      if (lane.length > 0) this.#lanes.set(owner, lane)
      this.#count(head, -1)
      return head
    }
    return undefined
  }

  /** Returns operations that were removed last, in their order. */
  putBack(items: readonly T[]): void {
    for (const item of items.toReversed()) {
      this.#laneOf(item).unshift(item)
      this.#count(item, 1)
    }
  }

  /** Removes all. */
  clear(): readonly T[] {
    const all = [...this.#lanes.values()].flat()
    this.#lanes.clear()
    this.#length = 0
    this.#bytes = 0
    return all
  }

  #laneOf({ operation: { owner } }: T): T[] {
    const lane = this.#lanes.get(owner) ?? []
    this.#lanes.set(owner, lane)
    return lane
  }

  #count({ operation: { bytes } }: T, sign: 1 | -1): void {
    this.#length += sign
    this.#bytes += sign * bytes
  }
}

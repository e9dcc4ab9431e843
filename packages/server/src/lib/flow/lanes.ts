/** Waiting items by owner. Owners take turns, however many items one has; the items of one owner keep their order. */
export class Lanes<T> {
  /** In the order of their turns. None is empty. */
  readonly #byOwner = new Map<string, T[]>()
  #length = 0

  /** Of all items. */
  get length(): number {
    return this.#length
  }

  lengthOf(owner: string): number {
    return this.#byOwner.get(owner)?.length ?? 0
  }

  add(owner: string, item: T): void {
    this.#laneOf(owner).push(item)
    this.#length++
  }

  /** The first item of each owner, in the order of their turns. */
  *heads(): Generator<readonly [owner: string, item: T]> {
    for (const [owner, [head]] of this.#byOwner) yield [owner, head as T]
  }

  /** Removes the first item of the owner, and moves the owner to the end. */
  take(owner: string): void {
    const lane = this.#byOwner.get(owner) ?? []
    lane.shift()
    this.#length--
    this.#byOwner.delete(owner)
    if (lane.length > 0) this.#byOwner.set(owner, lane)
  }

  /** Removes the first of several items of the owner, which keeps its turn. */
  dropFirst(owner: string): void {
    this.#byOwner.get(owner)?.shift()
    this.#length--
  }

  /** Removes and returns the next item. */
  next(): T | undefined {
    for (const [owner, item] of this.heads()) {
      this.take(owner)
      return item
    }
    return undefined
  }

  /** Returns an item that was the first of its owner. */
  putBack(owner: string, item: T): void {
    this.#laneOf(owner).unshift(item)
    this.#length++
  }

  /** Has no effect for an item that is not here. */
  remove(owner: string, item: T): void {
    const lane = this.#byOwner.get(owner) ?? []
    const rest = lane.filter((other) => other !== item)
    this.#length -= lane.length - rest.length
    if (rest.length > 0) this.#byOwner.set(owner, rest)
    else this.#byOwner.delete(owner)
  }

  clear(): readonly T[] {
    const all = [...this.#byOwner.values()].flat()
    this.#byOwner.clear()
    this.#length = 0
    return all
  }

  #laneOf(owner: string): T[] {
    const lane = this.#byOwner.get(owner) ?? []
    this.#byOwner.set(owner, lane)
    return lane
  }
}

import { Lanes } from '../../lib/flow/lanes.ts'

interface Queued {
  readonly operation: { readonly owner: string; readonly bytes: number }
}

/** Operations that wait for a commit. */
export class CommitQueue<T extends Queued> {
  readonly #lanes = new Lanes<T>()
  #bytes = 0

  get length(): number {
    return this.#lanes.length
  }

  get bytes(): number {
    return this.#bytes
  }

  add(item: T): void {
    this.#lanes.add(item.operation.owner, item)
    this.#bytes += item.operation.bytes
  }

  /** Removes the next operation. Undefined if there is none, or it does not fit. */
  next(fits: (item: T) => boolean): T | undefined {
    for (const [owner, head] of this.#lanes.heads()) {
      if (!fits(head)) return undefined
      this.#lanes.take(owner)
      this.#bytes -= head.operation.bytes
      return head
    }
    return undefined
  }

  /** Returns operations that were removed last, in their order. */
  putBack(items: readonly T[]): void {
    for (const item of items.toReversed()) {
      this.#lanes.putBack(item.operation.owner, item)
      this.#bytes += item.operation.bytes
    }
  }

  clear(): readonly T[] {
    this.#bytes = 0
    return this.#lanes.clear()
  }
}

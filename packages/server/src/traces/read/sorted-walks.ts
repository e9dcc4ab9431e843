/** How long a walk by a changing sort key may go on, milliseconds. */
const WALK_MS = 60 * 60 * 1000

/**
 * Knows whether anyone may be walking the feed by a key that changes. Only then do commits write down the keys that
 * rows had before: an append costs no more disk while nobody looks. After a start, walks of before may go on, so it
 * counts as if one had begun then.
 */
export class SortedWalks {
  #until: number

  constructor(startedAt: number) {
    this.#until = startedAt + WALK_MS
  }

  begin(now: number): void {
    this.#until = Math.max(this.#until, now + WALK_MS)
  }

  underWay(now: number): boolean {
    return now < this.#until
  }

  expired(begunAt: number, now: number): boolean {
    return now - begunAt >= WALK_MS
  }

  /** Superseded keys of commits before this time are needed by no walk. */
  static keepSince(now: number): number {
    return now - WALK_MS
  }
}

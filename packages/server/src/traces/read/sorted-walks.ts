/** Maximum duration of a walk by a changing sort key, milliseconds. */
const WALK_MS = 60 * 60 * 1000

/**
 * Tracks whether a walk by a changing sort key may be in progress. Only then do commits write the previous keys of
 * rows; otherwise an append needs no extra disk space. Walks from before a start may continue, so a start counts as the
 * beginning of one. Of several nodes none knows of the walks of the others: there a walk is always in progress.
 */
export class SortedWalks {
  #until: number

  constructor(startedAt: number) {
    this.#until = startedAt + WALK_MS
  }

  static ofSeveralNodes(): SortedWalks {
    return new SortedWalks(Infinity)
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

  /** No walk needs superseded keys of commits before this time. */
  static keepSince(now: number): number {
    return now - WALK_MS
  }
}

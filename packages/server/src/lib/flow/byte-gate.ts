import type { DomainError } from '../domain-error.ts'
import { FairQueue } from './fair-queue.ts'
import { FairShares } from './fair-shares.ts'
import { currentRequester, laneOf } from './requester.ts'

/** A part of a gate's bytes. Releasing it twice has no effect. */
export interface HeldBytes {
  /** Releases all but this many. */
  keep(bytes: number): void
  release(): void
}

/**
 * Bounds bytes in memory: of answers while clients read them, however slow the clients are, or of large exports. What
 * would exceed the limit waits until others release bytes. Projects take turns (FairQueue), and each may hold as much
 * as stays free for the others (FairShares). What is larger than the limit enters when nothing else is held, and counts
 * as the limit.
 */
export class ByteGate {
  readonly #limitBytes: number
  readonly #shares: FairShares
  readonly #queue: FairQueue<number, null>

  /** @param refusal of one more than may wait: see FairQueue */
  constructor(limitBytes: number, refusal?: (waiting: number) => DomainError) {
    this.#queue = new FairQueue(undefined, refusal)
    this.#limitBytes = limitBytes
    this.#shares = new FairShares(limitBytes)
  }

  get usedBytes(): number {
    return this.#shares.used
  }

  /** For the requester of the async context. Rejects like FairQueue. */
  async acquire(bytes: number): Promise<HeldBytes> {
    const requester = currentRequester()
    let held = Math.min(bytes, this.#limitBytes)
    const turn = this.#queue.wait(requester, held)
    this.#admit()
    await turn
    const keep = (kept: number) => {
      const freed = Math.max(0, held - kept)
      held -= freed
      this.#shares.release(laneOf(requester), freed)
      this.#admit()
    }
    return { keep, release: () => keep(0) }
  }

  /** Takes the bytes before it resolves the wait, so that no other request can take them in between. */
  #admit(): void {
    for (;;) {
      const next = this.#queue.next(({ requester, demand }) => this.#shares.tryTake(laneOf(requester), demand))
      if (next === undefined) return
      next.pass(null)
    }
  }
}

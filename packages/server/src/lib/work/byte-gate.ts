import { FairLine } from './fair-line.ts'
import { FairShares } from './fair-shares.ts'
import { currentRequester, laneOf } from './requester.ts'

/** A part of a gate's bytes. Letting go of it more than once does nothing. */
export interface HeldBytes {
  /** Lets go of all but this many. */
  keep(bytes: number): void
  release(): void
}

/**
 * Bounds the bytes that answers hold in memory while their readers take them, however slow these are: who would go beyond the limit waits for
 * others to let go, in turn with those of other projects (FairLine), each of which may hold as much as is free for the others (FairShares). One
 * that asks for more than the whole limit gets it when nobody else holds anything, and counts as the whole limit.
 */
export class ByteGate {
  readonly #limitBytes: number
  readonly #shares: FairShares
  readonly #line = new FairLine<number, null>()

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
    this.#shares = new FairShares(limitBytes)
  }

  get usedBytes(): number {
    return this.#shares.used
  }

  /** For the requester of its async context. Rejects as FairLine does. */
  async acquire(bytes: number): Promise<HeldBytes> {
    const requester = currentRequester()
    let held = Math.min(bytes, this.#limitBytes)
    const turn = this.#line.wait(requester, held)
    this.#letIn()
    await turn
    const keep = (kept: number) => {
      const freed = Math.max(0, held - kept)
      held -= freed
      this.#shares.release(laneOf(requester), freed)
      this.#letIn()
    }
    return { keep, release: () => keep(0) }
  }

  /** What it takes is taken for it here, so that nobody slips in between. */
  #letIn(): void {
    for (;;) {
      const next = this.#line.next(({ requester, asked }) => this.#shares.tryTake(laneOf(requester), asked))
      if (next === undefined) return
      next.pass(null)
    }
  }
}

import { FairLine } from './fair-line.ts'
import { currentRequester, laneOf, type Requester } from './requester.ts'

/** A part of a gate's bytes. Letting go of it more than once does nothing. */
export interface HeldBytes {
  /** Lets go of all but this many. */
  keep(bytes: number): void
  release(): void
}

/** What one project may make of the gate while it holds some of it: the remainder is for those that hold nothing. */
const PROJECT_SHARE = 3 / 4

/**
 * Bounds the bytes that answers hold in memory while their readers take them, however slow these are: who would go beyond the limit waits for
 * others to let go, in turn with those of other projects (FairLine). One that asks for more than the whole limit gets it when nobody else holds
 * anything.
 */
export class ByteGate {
  readonly #limitBytes: number
  readonly #line = new FairLine<number, null>()
  /** Bytes held, by lane. */
  readonly #held = new Map<string, number>()
  #used = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get usedBytes(): number {
    return this.#used
  }

  /** For the requester of its async context. Rejects as FairLine does. */
  async acquire(bytes: number): Promise<HeldBytes> {
    const requester = currentRequester()
    const turn = this.#line.wait(requester, bytes)
    this.#letIn()
    await turn
    let held = bytes
    const keep = (kept: number) => {
      const freed = Math.max(0, held - kept)
      held -= freed
      this.#count(requester, -freed)
      this.#letIn()
    }
    return { keep, release: () => keep(0) }
  }

  #fits(requester: Requester, bytes: number): boolean {
    if (this.#used === 0) return true
    const isShared = requester.kind === 'project' && this.#held.has(laneOf(requester))
    return this.#used + bytes <= this.#limitBytes * (isShared ? PROJECT_SHARE : 1)
  }

  /** What it takes is counted here, so that nobody slips in between. */
  #letIn(): void {
    for (;;) {
      const next = this.#line.next(({ requester, asked }) => this.#fits(requester, asked))
      if (next === undefined) return
      this.#count(next.requester, next.asked)
      next.pass(null)
    }
  }

  #count(requester: Requester, change: number): void {
    const lane = laneOf(requester)
    const held = (this.#held.get(lane) ?? 0) + change
    this.#used += change
    if (held === 0) this.#held.delete(lane)
    else this.#held.set(lane, held)
  }
}

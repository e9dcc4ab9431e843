import { FairQueue } from '../../../lib/work/fair-queue.ts'
import { laneOf, type Requester } from '../../../lib/work/requester.ts'

/**
 * Gives out a fixed set of slots, in each of which one query runs at a time: sessions of the embedded engine,
 * connections to a server.
 *
 * - Who waits gets a slot in turn (FairQueue), however many queries others have sent.
 * - The last idle slot goes only to those who have none: long queries of one project leave one for the next project
 *   that comes.
 * - A query whose client goes away while it waits is never run.
 * - A project may have 64 queries waiting. The first query of one more request is refused with DomainError
 *   `too_many_reads`.
 */
export class ReadQueue<Slot> {
  readonly #size: number
  readonly #idle: Slot[]
  readonly #line: FairQueue<null, Slot>
  /** Slots in use, by lane. */
  readonly #used = new Map<string, number>()
  #whenAllIdle: (() => void) | null = null

  constructor(slots: readonly Slot[], line = new FairQueue<null, Slot>()) {
    this.#size = slots.length
    this.#idle = [...slots]
    this.#line = line
  }

  /**
   * Rejects with the reason of the requester's signal when that aborts before `work` has begun. To end `work` itself is
   * the caller's part.
   */
  async use<T>(requester: Requester, work: (slot: Slot) => Promise<T>): Promise<T> {
    const turn = this.#line.wait(requester, null)
    this.#giveOut()
    const slot = await turn
    try {
      return await work(slot)
    } finally {
      this.#count(requester, -1)
      this.#idle.push(slot)
      this.#giveOut()
    }
  }

  /** Runs `work` while nobody uses a slot: waits for those that do. MUST NOT be called again before it has resolved. */
  async withAllHeld<T>(work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#whenAllIdle = resolve
      this.#giveOut()
    })
    try {
      return await work()
    } finally {
      this.#whenAllIdle = null
      this.#giveOut()
    }
  }

  #giveOut(): void {
    if (this.#whenAllIdle !== null) {
      if (this.#idle.length === this.#size) this.#whenAllIdle()
      return
    }
    for (;;) {
      const next = this.#line.next(({ requester }) => this.#mayStart(requester))
      if (next === undefined) return
      this.#count(next.requester, +1)
      next.pass(this.#idle.pop() as Slot)
    }
  }

  #mayStart(requester: Requester): boolean {
    return this.#idle.length > 1 || (this.#idle.length === 1 && !this.#used.has(laneOf(requester)))
  }

  #count(requester: Requester, change: number): void {
    const lane = laneOf(requester)
    const used = (this.#used.get(lane) ?? 0) + change
    if (used === 0) this.#used.delete(lane)
    else this.#used.set(lane, used)
  }
}

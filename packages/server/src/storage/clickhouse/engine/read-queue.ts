import { FairQueue } from '../../../lib/flow/fair-queue.ts'
import { laneOf, type Requester } from '../../../lib/flow/requester.ts'

/**
 * Hands out a fixed set of slots (sessions of the embedded engine, or connections to a server). Each runs one query at
 * a time.
 *
 * - Waiting projects get a slot in turn (FairQueue), however many queries others have sent.
 * - The last idle slot goes only to a project without a slot, so that long queries of one project leave one for
 *   another.
 * - A query whose client disconnects while it waits never runs.
 * - A project may have 64 waiting queries. The first query of one more request is refused with DomainError
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
   * Rejects with the reason of the requester's signal when it aborts before `work` has started. The caller must end a
   * running `work` itself.
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

  /**
   * Runs `work` while no slot is in use: waits for running queries. MUST NOT be called again before it has resolved.
   */
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

import type { ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { SenderCountStore } from '../../ports/traces/sender-counts.ts'

/** For each million steps, which take about 0.06 s of processor time to count. Fewer are counted for every request. */
const KEPT_MS_A_MILLION = 10_000
/** The oldest is forgotten first. */
const MOST_PROJECTS = 100

interface Kept {
  readonly counts: ReturnType<SenderCountStore['senderCounts']>
  until: number
}

/** Keeps the counts of a project for a while if it has many steps. */
export class KeptSenderCounts implements SenderCountStore {
  readonly #store: SenderCountStore
  readonly #clock: Clock
  readonly #kept = new Map<ProjectId, Kept>()

  constructor(store: SenderCountStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async senderCounts(...[projectId, span]: Parameters<SenderCountStore['senderCounts']>) {
    const known = this.#kept.get(projectId)
    // Also one that is being read.
    if (known !== undefined && this.#clock.now() < known.until) return known.counts
    const kept: Kept = { counts: this.#store.senderCounts(projectId, span), until: Infinity }
    this.#kept.delete(projectId)
    this.#kept.set(projectId, kept)
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_PROJECTS && oldest !== undefined) this.#kept.delete(oldest)
    try {
      const found = await kept.counts
      const steps = found.counts.reduce((sum, count) => sum + count.steps, 0)
      kept.until = this.#clock.now() + Math.floor(steps / 1_000_000) * KEPT_MS_A_MILLION
      return found
    } finally {
      // One that failed, or is not to be kept.
      const isOver = kept.until === Infinity || kept.until <= this.#clock.now()
      if (isOver && this.#kept.get(projectId) === kept) this.#kept.delete(projectId)
    }
  }
}

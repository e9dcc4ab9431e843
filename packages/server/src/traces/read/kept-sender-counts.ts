import type { ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import type { SenderCountStore } from '../../ports/traces/sender-counts.ts'

/** For each million steps, which take about 0.06 s of processor time to count. Fewer are counted for every request. */
const KEPT_MS_A_MILLION = 10_000
/** The oldest is forgotten first. */
const MOST_PROJECTS = 100

type Counts = Awaited<ReturnType<SenderCountStore['senderCounts']>>

/** Keeps the counts of a project for a while if it has many steps. */
export class KeptSenderCounts implements SenderCountStore {
  readonly #store: SenderCountStore
  readonly #clock: Clock
  readonly #kept = new Map<ProjectId, { readonly found: Counts; readonly until: number }>()

  constructor(store: SenderCountStore, clock: Clock) {
    this.#store = store
    this.#clock = clock
  }

  async senderCounts(...[projectId, span]: Parameters<SenderCountStore['senderCounts']>): Promise<Counts> {
    const known = this.#kept.get(projectId)
    if (known !== undefined && this.#clock.now() < known.until) return known.found
    this.#kept.delete(projectId)
    // Each request reads for itself: a read ends when the client of its request leaves.
    const found = await this.#store.senderCounts(projectId, span)
    const millions = Math.floor(found.counts.reduce((sum, { steps }) => sum + steps, 0) / 1_000_000)
    if (millions === 0) return found
    this.#kept.set(projectId, { found, until: this.#clock.now() + millions * KEPT_MS_A_MILLION })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_PROJECTS && oldest !== undefined) this.#kept.delete(oldest)
    return found
  }
}

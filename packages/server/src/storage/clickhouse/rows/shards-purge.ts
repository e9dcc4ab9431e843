import type { RemovalMark } from '../../../ports/journal/journal.ts'
import type { StoredTrace } from '../../../ports/traces/trace-store.ts'
import type { TracePurge } from './trace-purge.ts'

/** Removes a batch of deleted traces on each shard: a trace is done when no shard has anything of it. */
export class ShardsPurge {
  readonly #purges: readonly Pick<TracePurge, 'prepare' | 'step' | 'stepOfEvents'>[]
  #traces: readonly StoredTrace[] | null = null
  #left: readonly Pick<TracePurge, 'step'>[] = []

  constructor(purges: readonly Pick<TracePurge, 'prepare' | 'step' | 'stepOfEvents'>[]) {
    this.#purges = purges
  }

  async prepare(): Promise<void> {
    await Promise.all(this.#purges.map((purge) => purge.prepare()))
  }

  /** See TracePurge. */
  async stepOfEvents(events: readonly RemovalMark[]): Promise<boolean> {
    const gone = await Promise.all(this.#purges.map((purge) => purge.stepOfEvents(events)))
    return gone.every(Boolean)
  }

  /** See TracePurge. A step that fails on one shard is repeated there; the others continue. */
  async step(traces: readonly StoredTrace[]): Promise<readonly StoredTrace[]> {
    if (traces !== this.#traces) {
      this.#traces = traces
      this.#left = this.#purges
    }
    const steps = await Promise.allSettled(this.#left.map((purge) => purge.step(traces)))
    this.#left = this.#left.filter((_purge, index) => {
      const step = steps[index]
      return step?.status !== 'fulfilled' || step.value !== traces
    })
    for (const step of steps) if (step.status === 'rejected') throw step.reason
    if (this.#left.length > 0) return []
    this.#traces = null
    return traces
  }
}

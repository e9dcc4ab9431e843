import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import { pendingDeletions } from './pending-deletions.ts'

export interface ForgetDeletedDependencies {
  readonly clusters: Pick<ClusterStore, 'forget' | 'keptTraces'>
  readonly journal: Pick<Journal, 'deletedAmong' | 'pendingPurges'>
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>
}

const CHECKED_TOGETHER = 500
/** In one round. */
const MOST_CHECKED = 10_000

/**
 * Takes deleted traces out of all that clusters keep: those being removed at once, and, walking round by round through
 * all that is kept, whatever was missed.
 */
export class ForgetDeleted {
  readonly #dependencies: ForgetDeletedDependencies
  #after: { readonly projectId: ProjectId; readonly traceId: TraceId } | null = null

  constructor(dependencies: ForgetDeletedDependencies) {
    this.#dependencies = dependencies
  }

  async round(): Promise<void> {
    const { clusters, breathe } = this.#dependencies
    for await (const pending of pendingDeletions(this.#dependencies)) {
      for (const [projectId, traces] of Map.groupBy(pending, (trace) => trace.projectId)) {
        const ids = traces.map(({ traceId }) => traceId)
        await clusters.forget(projectId, ids)
      }
    }
    for (let checked = 0; checked < MOST_CHECKED; checked += CHECKED_TOGETHER) {
      const kept = await clusters.keptTraces(this.#after, CHECKED_TOGETHER)
      for (const [projectId, traces] of Map.groupBy(kept, (trace) => trace.projectId)) {
        const ids = traces.map(({ traceId }) => traceId)
        await this.#forgetAmong(projectId, ids)
      }
      this.#after = kept.length < CHECKED_TOGETHER ? null : kept.at(-1)!
      if (this.#after === null) return
      await breathe()
    }
  }

  /** Those of these that are deleted. */
  async among(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    for (let from = 0; from < traceIds.length; from += CHECKED_TOGETHER) {
      await this.#forgetAmong(projectId, traceIds.slice(from, from + CHECKED_TOGETHER))
      await this.#dependencies.breathe()
    }
  }

  async #forgetAmong(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    const { clusters, journal } = this.#dependencies
    const deleted = await journal.deletedAmong(traceIds)
    if (deleted.size > 0) await clusters.forget(projectId, [...deleted])
  }
}

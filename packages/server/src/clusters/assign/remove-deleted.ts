import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../../ports/journal/journal.ts'
import { type ClusterSetId, projectOfSet } from '../../ports/clusters/cluster-set.ts'
import type { ClusterStore } from '../../ports/clusters/cluster-store.ts'
import { pendingDeletions } from './pending-deletions.ts'

export interface RemoveDeletedDependencies {
  readonly clusters: Pick<ClusterStore, 'forget' | 'keptTraces'>
  readonly journal: Pick<Journal, 'deletedAmong' | 'pendingPurges'>
  /** Yields to other work. */
  readonly breathe: () => Promise<void>
}

const CHECKED_TOGETHER = 500
/** Most traces in one round. */
const MOST_CHECKED = 10_000

/**
 * Removes deleted traces from all cluster data: those being deleted now at once, and any that were missed by walking
 * through all stored traces, a part each round.
 */
export class RemoveDeleted {
  readonly #dependencies: RemoveDeletedDependencies
  #after: { readonly setId: ClusterSetId; readonly traceId: TraceId } | null = null

  constructor(dependencies: RemoveDeletedDependencies) {
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
      for (const [projectId, traces] of Map.groupBy(kept, ({ setId }) => projectOfSet(setId))) {
        const ids = traces.map(({ traceId }) => traceId)
        await this.#removeAmong(projectId, ids)
      }
      this.#after = kept.length < CHECKED_TOGETHER ? null : kept.at(-1)!
      if (this.#after === null) return
      await breathe()
    }
  }

  /** Returns the deleted ones of these traces. */
  async among(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    for (let from = 0; from < traceIds.length; from += CHECKED_TOGETHER) {
      await this.#removeAmong(projectId, traceIds.slice(from, from + CHECKED_TOGETHER))
      await this.#dependencies.breathe()
    }
  }

  async #removeAmong(projectId: ProjectId, traceIds: readonly TraceId[]): Promise<void> {
    const { clusters, journal } = this.#dependencies
    const deleted = await journal.deletedAmong(traceIds)
    if (deleted.size > 0) await clusters.forget(projectId, [...deleted])
  }
}

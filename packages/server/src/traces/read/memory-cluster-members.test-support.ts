import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterMembers, ClusterBounds } from './cluster-members.ts'

interface MemoryPlace extends ClusterBounds {
  readonly ids: readonly TraceId[]
}

/** Clusters defined by a test. */
export class MemoryClusterMembers implements ClusterMembers<MemoryPlace> {
  readonly #clusters = new Map<string, readonly TraceId[]>()

  put(projectId: ProjectId, id: ClusterId, traceIds: readonly TraceId[]): void {
    this.#clusters.set(`${projectId} ${id}`, traceIds.toSorted())
  }

  async place(projectId: ProjectId, id: ClusterId): Promise<MemoryPlace | null> {
    const ids = this.#clusters.get(`${projectId} ${id}`) ?? []
    const [lowestId, highestId] = [ids[0], ids.at(-1)]
    return lowestId === undefined || highestId === undefined ? null : { ids, lowestId, highestId }
  }

  async members(
    { ids }: MemoryPlace,
    after: TraceId | null,
    order: 'asc' | 'desc',
    limit: number,
  ): Promise<readonly TraceId[]> {
    const ordered = order === 'asc' ? ids : ids.toReversed()
    const behind = (id: TraceId) => after === null || (order === 'asc' ? id > after : id < after)
    return ordered.filter(behind).slice(0, limit)
  }

  async membersAmong({ ids }: MemoryPlace, traceIds: readonly TraceId[]): Promise<ReadonlySet<TraceId>> {
    return new Set(traceIds.filter((id) => ids.includes(id)))
  }
}

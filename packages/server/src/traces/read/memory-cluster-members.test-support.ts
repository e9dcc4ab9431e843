import type { ClusterId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { ClusterMembers, ClusterPlace } from './cluster-members.ts'

interface MemoryPlace extends ClusterPlace {
  readonly ids: readonly TraceId[]
}

/** Clusters that a test says there are. */
export class MemoryClusterMembers implements ClusterMembers<MemoryPlace> {
  readonly #clusters = new Map<string, readonly TraceId[]>()

  put(projectId: ProjectId, id: ClusterId, traceIds: readonly TraceId[]): void {
    this.#clusters.set(`${projectId} ${id}`, traceIds.toSorted())
  }

  place(projectId: ProjectId, id: ClusterId): MemoryPlace | null {
    const ids = this.#clusters.get(`${projectId} ${id}`) ?? []
    const [lowestId, highestId] = [ids[0], ids.at(-1)]
    return lowestId === undefined || highestId === undefined ? null : { ids, lowestId, highestId }
  }

  members({ ids }: MemoryPlace, after: TraceId | null, order: 'asc' | 'desc', limit: number): readonly TraceId[] {
    const ordered = order === 'asc' ? ids : ids.toReversed()
    const behind = (id: TraceId) => after === null || (order === 'asc' ? id > after : id < after)
    return ordered.filter(behind).slice(0, limit)
  }

  membersAmong({ ids }: MemoryPlace, traceIds: readonly TraceId[]): ReadonlySet<TraceId> {
    return new Set(traceIds.filter((id) => ids.includes(id)))
  }
}

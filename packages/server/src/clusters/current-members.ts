import { type ClusterSetId, clusterSetsOf } from '../ports/clusters/cluster-set.ts'
import type { ClusterStore } from '../ports/clusters/cluster-store.ts'

type Members = Pick<ClusterStore, 'place' | 'members' | 'membersAmong'>

/** The members of clusters for lists and series of traces. They include traces that arrived after the discovery. */
export function currentMembers(store: Members, catchUp: (setId: ClusterSetId) => Promise<void>): Members {
  return {
    async place(projectId, id) {
      await Promise.all(clusterSetsOf(projectId).map(catchUp))
      return store.place(projectId, id)
    },
    members: (place, after, order, limit) => store.members(place, after, order, limit),
    membersAmong: (place, traceIds) => store.membersAmong(place, traceIds),
  }
}

import { isId } from '@spoor/contract/ids'

const CLUSTER_SORTS = ['size', 'failed', 'change', 'first_seen', 'name'] as const
export type ClusterSort = (typeof CLUSTER_SORTS)[number]

export interface ClusterSearch {
  /** The one that the map shows alone. */
  readonly cluster?: string
  /** By size when it is not given. */
  readonly sort?: ClusterSort
  /** The other way round: the least first. */
  readonly ascending?: true
}

/** What the URL says about the screen; what it cannot mean is left out. */
export function clusterSearch({ cluster, sort, ascending }: Record<string, unknown>): ClusterSearch {
  return {
    ...(isId('clu', cluster) ? { cluster } : {}),
    ...(CLUSTER_SORTS.includes(sort as ClusterSort) && sort !== 'size' ? { sort: sort as ClusterSort } : {}),
    ...(ascending === true ? { ascending } : {}),
  }
}

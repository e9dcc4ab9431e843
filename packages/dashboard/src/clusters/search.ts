import { isId } from '@spoor/contract/ids'

const CLUSTER_SORTS = ['size', 'failed', 'change', 'first_seen', 'name'] as const
export type ClusterSort = (typeof CLUSTER_SORTS)[number]

export interface ClusterSearch {
  /** The cluster that the map shows alone. */
  readonly cluster?: string
  /** Default: by size. */
  readonly sort?: ClusterSort
  /** Reverses the order. */
  readonly ascending?: true
}

/** Parses the URL of the screen; drops invalid values. */
export function clusterSearch({ cluster, sort, ascending }: Record<string, unknown>): ClusterSearch {
  return {
    ...(isId('clu', cluster) ? { cluster } : {}),
    ...(CLUSTER_SORTS.includes(sort as ClusterSort) && sort !== 'size' ? { sort: sort as ClusterSort } : {}),
    ...(ascending === true ? { ascending } : {}),
  }
}

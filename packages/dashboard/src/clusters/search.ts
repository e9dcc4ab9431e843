import { isId } from '@spoor/contract/ids'
import { oneOf, searchOf } from '../lib/search.ts'

const CLUSTER_SORTS = ['failed', 'change', 'first_seen', 'name'] as const
export type ClusterSort = 'size' | (typeof CLUSTER_SORTS)[number]

export type ClusterSearch = ReturnType<typeof clusterSearch>

export const clusterSearch = searchOf({
  /** Default: of requests. */
  kind: oneOf(['failures'] as const),
  /** Default: of all traces. */
  selection: (value) => (isId('sel', value) ? (value as string) : undefined),
  /** The cluster that the map shows alone. */
  cluster: (value) => (isId('clu', value) ? (value as string) : undefined),
  /** Default: by size. */
  sort: oneOf(CLUSTER_SORTS),
  /** Reverses the order. */
  ascending: oneOf([true] as const),
})

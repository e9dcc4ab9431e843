/** What is told of a run: `cluster.created` and `cluster.shifted`. Clusters of this run go by their index, since new ones have no id yet. */
export type ClusterChange = ClusterCreated | ClusterShifted

interface ClusterCreated {
  readonly kind: 'created'
  readonly cluster: number
}

/**
 * Why a cluster is said to have shifted, the first that holds: a good part of its traces went to others (`split`), or another's came to it (`merged`), or its traces
 * are otherwise not the same (`membership`), or its share of all traces `grew` or `shrank`.
 */
export type ShiftReason = 'split' | 'merged' | 'membership' | 'grew' | 'shrank'

export interface ClusterShifted {
  readonly kind: 'shifted'
  readonly cluster: number
  readonly id: string
  readonly reason: ShiftReason
  /** From 0 to 1: the Jaccard index over traces that both runs saw, the cosine of the centroids when those are too few. */
  readonly similarity: number
  readonly size: number
  readonly previousSize: number
  /** Shares of all traces of their runs. */
  readonly share: number
  readonly previousShare: number
  /** Traces in it now that were not in it then. */
  readonly joined: number
  /** Traces in it then that this run saw elsewhere; those that only grew too old did not leave. */
  readonly left: number
  /** Clusters of this run where a good part of its traces went. */
  readonly splitInto: readonly number[]
  /** Clusters of the last run of which a good part came. */
  readonly mergedFrom: readonly string[]
}

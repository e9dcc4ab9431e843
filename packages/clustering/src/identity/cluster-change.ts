/**
 * Events of a run: `cluster.created` and `cluster.shifted`. Clusters of this run are identified by index, because new
 * ones have no id yet.
 */
export type ClusterChange = ClusterCreated | ClusterShifted

interface ClusterCreated {
  readonly kind: 'created'
  readonly cluster: number
}

/**
 * Why a cluster shifted, the first that holds: a large share of its traces went to others (`split`), it took over
 * another's (`merged`), its traces changed otherwise (`membership`), or its share of all traces `grew` or `shrank`.
 */
export type ShiftReason = 'split' | 'merged' | 'membership' | 'grew' | 'shrank'

export interface ClusterShifted {
  readonly kind: 'shifted'
  readonly cluster: number
  readonly id: string
  readonly reason: ShiftReason
  /** From 0 to 1: the Jaccard index over traces in both runs, or the cosine of the centroids when those are too few. */
  readonly similarity: number
  readonly size: number
  readonly previousSize: number
  /** Shares of all traces of their runs. */
  readonly share: number
  readonly previousShare: number
  /** Traces in it now that were not in it then. */
  readonly joined: number
  /** Traces that left it for another cluster of this run. Traces that are only outside the window now did not leave. */
  readonly left: number
  /** Clusters of this run that received a large share of its traces. */
  readonly splitInto: readonly number[]
  /** Clusters of the last run from which a large share came. */
  readonly mergedFrom: readonly string[]
}

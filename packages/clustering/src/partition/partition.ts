import type { Matrix } from '../matrix.ts'

/** Points clustered around centroids. */
export interface Partition {
  readonly k: number
  /** The cluster of each point, from 0 to k - 1. */
  readonly assignments: Int32Array
  /** Unit rows: the direction of the sum of each cluster's points. */
  readonly centroids: Matrix
  /** Sum of the cosines of each point to the centroid of its cluster; at most the number of points. */
  readonly objective: number
}

import type { Matrix } from '../matrix.ts'

/** Points in groups around centroids. */
export interface Partition {
  readonly k: number
  /** The group of each point, from 0 to k - 1. */
  readonly assignments: Int32Array
  /** Unit rows: the direction of the sum of each group's points. */
  readonly centroids: Matrix
  /** Sum of the cosines of each point to the centroid of its group; at most the number of points. */
  readonly objective: number
}

import type { Matrix } from './matrix.ts'
import { assignToNearest } from './partition/assign-to-nearest.ts'

/** Share of a cluster's own traces that lie outside its reach. */
const OUTSIDE = 0.02

/**
 * The reach of each cluster: the least cosine to its centroid with which a trace belongs to it. All but 2 % of its own
 * traces have at least this cosine. It is computed per cluster, because it depends on the embedder and on how wide the
 * topic is.
 */
export function reachesOf(assignments: Int32Array, cosines: Float32Array, k: number): Float32Array {
  const byCluster = Array.from({ length: k }, (): number[] => [])
  assignments.forEach((cluster, point) => byCluster[cluster]!.push(cosines[point]!))
  return Float32Array.from(byCluster, (own) => own.sort((a, b) => a - b)[Math.floor(OUTSIDE * own.length)] ?? 1)
}

/**
 * The cluster of each trace that arrived after the last run: the one with the nearest centroid, or -1 when the trace is
 * outside its reach. Rows are unit vectors.
 */
export function assignNew(points: Matrix, centroids: Matrix, reaches: Float32Array): Int32Array {
  const { assignments, cosines } = assignToNearest(points, centroids)
  return assignments.map((cluster, point) => (cosines[point]! >= reaches[cluster]! ? cluster : -1))
}

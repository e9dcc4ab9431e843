import { dot } from './identity/cosines.ts'
import { rowOf, type Matrix } from './matrix.ts'

/** Share of a cluster's own traces that lie outside its reach. */
const OUTSIDE = 0.02

/**
 * How near to its centroid a trace must be to belong to each cluster: the cosine that all but two percent of its own traces have. By cluster and not one number for all,
 * because what is near depends on the embedder and on how wide a topic is.
 */
export function reachesOf(assignments: Int32Array, cosines: Float32Array, k: number): Float32Array {
  const byCluster = Array.from({ length: k }, (): number[] => [])
  assignments.forEach((cluster, point) => byCluster[cluster]!.push(cosines[point]!))
  return Float32Array.from(byCluster, (own) => own.sort((a, b) => a - b)[Math.floor(OUTSIDE * own.length)] ?? 1)
}

/** The cluster of each trace that came after the last run: that of the nearest centroid, -1 when even that does not reach it. Unit rows. */
export function assignNew(points: Matrix, centroids: Matrix, reaches: Float32Array): Int32Array {
  return Int32Array.from({ length: points.rows }, (_, point) => {
    const row = rowOf(points, point)
    let nearest = -1
    let greatest = -Infinity
    for (let cluster = 0; cluster < centroids.rows; cluster++) {
      const cosine = dot(row, rowOf(centroids, cluster))
      if (cosine <= greatest) continue
      nearest = cluster
      greatest = cosine
    }
    return nearest >= 0 && greatest >= reaches[nearest]! ? nearest : -1
  })
}

import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { pickRows, rowOf, type Matrix } from '../matrix.ts'
import { dot } from './cosines.ts'

/** The loss of the objective without each cluster, when its points go to the next nearest. */
export function lossesWithout(points: Matrix, { assignments, centroids, k }: Partition): Float64Array {
  const losses = new Float64Array(k)
  for (let point = 0; point < points.rows; point++) {
    const row = rowOf(points, point)
    const own = assignments[point]!
    let next = -1
    for (let cluster = 0; cluster < k; cluster++) {
      if (cluster !== own) next = Math.max(next, dot(row, rowOf(centroids, cluster)))
    }
    losses[own]! += dot(row, rowOf(centroids, own)) - next
  }
  return losses
}

/** The partition without the cluster, settled again. */
export function withoutCluster(points: Matrix, partition: Partition, cluster: number): Partition {
  const rest = Uint32Array.from(Array.from({ length: partition.k }, (_, row) => row).filter((row) => row !== cluster))
  return sphericalKMeans(points, pickRows(partition.centroids, rest))
}

/** The partition without the cluster whose loss is least. It needs two clusters with at least one point. */
export function shrinkByOne(points: Matrix, partition: Partition): Partition {
  const losses = lossesWithout(points, partition)
  return withoutCluster(points, partition, losses.indexOf(Math.min(...losses)))
}

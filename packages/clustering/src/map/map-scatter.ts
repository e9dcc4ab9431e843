import type { Partition } from '../partition/partition.ts'
import { sizesOf } from '../identity/cosines.ts'
import { pickRows, rowOf, sumsOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { evenSample } from '../partition/seeded-random.ts'

/** Rows, weighted by their length, whose main directions span the map. */
export interface MapScatter {
  readonly centre: Float32Array
  readonly rows: Matrix
}

/**
 * What a map should show: the distances between clusters, and a little of the distances of points from their clusters,
 * so that points of one cluster do not fall on one line. The directions of the points alone would show what varies in
 * all clusters.
 */
export function mapScatter(points: Matrix, { assignments, k }: Pick<Partition, 'assignments' | 'k'>): MapScatter {
  const { columns } = points
  const sample = evenSample(points.rows, SAMPLE)
  const groups = Int32Array.from(sample, (point) => assignments[point]!)
  const sampled = pickRows(points, sample)
  const meansOf = (of: Int32Array, count: number): { readonly means: Matrix; readonly sizes: Uint32Array } => {
    const sizes = sizesOf(of, count)
    const values = Float32Array.from(
      sumsOf(sampled, of, count),
      (sum, at) => sum / Math.max(1, sizes[Math.floor(at / columns)]!),
    )
    return { means: { rows: count, columns, values }, sizes }
  }
  const { means, sizes } = meansOf(groups, k)
  const centre = meansOf(new Int32Array(sample.length), 1).means.values
  const rows = zeroMatrix(k + sample.length, columns)
  for (let cluster = 0; cluster < k; cluster++) {
    difference(rowOf(means, cluster), centre, Math.sqrt(sizes[cluster]!), rowOf(rows, cluster))
  }
  groups.forEach((cluster, index) => {
    difference(rowOf(sampled, index), rowOf(means, cluster), WITHIN, rowOf(rows, k + index))
  })
  return { centre, rows }
}

/** Weight of a point's distance from its cluster against the cluster's from the centre: 4 % of the sum of squares. */
const WITHIN = 0.2
/** More points do not improve two directions. */
const SAMPLE = 2000

function difference(first: Float32Array, second: Float32Array, weight: number, into: Float32Array): void {
  for (let index = 0; index < into.length; index++) into[index] = weight * (first[index]! - second[index]!)
}

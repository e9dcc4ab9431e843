import type { Partition } from '../partition/partition.ts'
import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'

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
  const sample = evenSample(points.rows)
  const sums = Array.from({ length: k + 1 }, () => new Float64Array(columns))
  const sizes = new Float64Array(k + 1)
  for (const point of sample) {
    const row = rowOf(points, point)
    for (const group of [assignments[point]!, k]) {
      sizes[group]!++
      for (let index = 0; index < columns; index++) sums[group]![index]! += row[index]!
    }
  }
  const middles = sums.map((sum, group) => Float32Array.from(sum, (value) => value / Math.max(1, sizes[group]!)))
  const centre = middles[k]!
  const rows = zeroMatrix(k + sample.length, columns)
  for (let cluster = 0; cluster < k; cluster++) {
    difference(middles[cluster]!, centre, Math.sqrt(sizes[cluster]!), rowOf(rows, cluster))
  }
  sample.forEach((point, index) => {
    difference(rowOf(points, point), middles[assignments[point]!]!, WITHIN, rowOf(rows, k + index))
  })
  return { centre, rows }
}

/** Weight of a point's distance from its cluster against the cluster's from the centre: 4 % of the sum of squares. */
const WITHIN = 0.2
/** More points do not improve two directions. */
const SAMPLE = 2000

function evenSample(rows: number): Uint32Array {
  const count = Math.min(rows, SAMPLE)
  return Uint32Array.from({ length: count }, (_, index) => Math.floor((index * rows) / count))
}

function difference(first: Float32Array, second: Float32Array, weight: number, into: Float32Array): void {
  for (let index = 0; index < into.length; index++) into[index] = weight * (first[index]! - second[index]!)
}

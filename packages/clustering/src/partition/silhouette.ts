import { dotProduct, rowOf, sumsOf, type Matrix } from '../matrix.ts'
import { sizesOf } from '../identity/cosines.ts'
import type { Partition } from './partition.ts'

/**
 * Mean silhouette of the points by cosine distance, from -1 to 1: how much nearer each point is to its own cluster than
 * to the next. It is exact and linear in the number of points, because the mean cosine of a point to the members of a
 * cluster is its product with their sum. A point alone in its cluster counts 0; with one cluster the result is 0.
 *
 * @param points unit rows
 */
export function silhouette(points: Matrix, { k, assignments }: Partition): number {
  const sizes = sizesOf(assignments, k)
  const sums = sumsOf(points, assignments, k)
  let total = 0
  for (let point = 0; point < points.rows; point++)
    total += silhouetteOf(rowOf(points, point), assignments[point]!, sizes, sums)
  return points.rows === 0 ? 0 : total / points.rows
}

function silhouetteOf(row: Float32Array, own: number, sizes: Uint32Array, sums: Float64Array): number {
  if (sizes[own]! < 2) return 0
  let within = 0
  let nearest = Infinity
  for (let cluster = 0; cluster < sizes.length; cluster++) {
    if (sizes[cluster] === 0) continue
    const product = dotProduct(row, sums, cluster * row.length)
    // The point itself has distance 0 and is not counted among its neighbours.
    if (cluster === own) within = Math.max(0, (sizes[own]! - product) / (sizes[own]! - 1))
    else nearest = Math.min(nearest, Math.max(0, 1 - product / sizes[cluster]!))
  }
  const greater = Math.max(within, nearest)
  return greater === Infinity || greater < NOTHING ? 0 : (nearest - within) / greater
}

/** Smaller distances are rounding errors: identical points have no silhouette. */
const NOTHING = 1e-6

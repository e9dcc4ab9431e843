import { dotProduct, rowOf, sumsOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { assignToNearest } from './assign-to-nearest.ts'
import type { Partition } from './partition.ts'

export interface KMeansOptions {
  readonly mostIterations?: number
  /** Stops when a round gains less than this share of the objective. */
  readonly leastGain?: number
  /** This many of the first centroids stay where they are. */
  readonly fixed?: number
}

/**
 * Clusters points by direction: each point goes to its nearest centroid, each centroid to the mean direction of its
 * points, until hardly anything changes. The objective never decreases from round to round.
 *
 * @param points unit rows; rows of zeros are near nothing and do not move a centroid
 * @param start k unit rows
 */
export function sphericalKMeans(
  points: Matrix,
  start: Matrix,
  { mostIterations = 50, leastGain = 1e-4, fixed = 0 }: KMeansOptions = {},
): Partition {
  let assignments: Int32Array = new Int32Array(points.rows)
  let centroids = start
  let objective = -Infinity
  for (let iteration = 0; iteration < mostIterations; iteration++) {
    assignments = assignToNearest(points, centroids).assignments
    const moved = centroidsOf(points, assignments, centroids, fixed)
    centroids = moved.centroids
    const gain = moved.objective - objective
    objective = moved.objective
    if (!(gain > leastGain * Math.abs(objective))) break
  }
  return { k: start.rows, assignments, centroids, objective }
}

/**
 * The centroids of an assignment. Fixed ones, and ones without a direction (no points, or points that cancel out), stay
 * where they were.
 */
export function centroidsOf(
  points: Matrix,
  assignments: Int32Array,
  before: Matrix,
  fixed = 0,
): { readonly centroids: Matrix; readonly objective: number } {
  const { columns } = points
  const sums = sumsOf(points, assignments, before.rows)
  const centroids = zeroMatrix(before.rows, columns)
  let objective = 0
  for (let cluster = 0; cluster < before.rows; cluster++) {
    const sum = sums.subarray(cluster * columns, (cluster + 1) * columns)
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
    const row = rowOf(centroids, cluster)
    if (length === 0 || cluster < fixed) row.set(rowOf(before, cluster))
    else row.set(sum.map((value) => value / length))
    objective += cluster < fixed ? dotProduct(row, sum, 0) : length
  }
  return { centroids, objective }
}

import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { assignToNearest, type Assignment } from './assign-to-nearest.ts'
import type { Partition } from './partition.ts'

export interface KMeansOptions {
  readonly mostIterations?: number
  /** Stops when a round gains less than this share of the objective. */
  readonly leastGain?: number
}

/**
 * Clusters points by direction: each point goes to its nearest centroid, each centroid to the mean direction of its
 * points, until hardly anything changes. The objective never decreases from round to round. A centroid without points
 * moves to the point that is farthest from its own centroid.
 *
 * @param points unit rows; rows of zeros are near nothing and do not move a centroid
 * @param start k unit rows
 */
export function sphericalKMeans(
  points: Matrix,
  start: Matrix,
  { mostIterations = 50, leastGain = 1e-4 }: KMeansOptions = {},
): Partition {
  const assignment: Assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  let centroids = start
  let objective = -Infinity
  for (let iteration = 0; iteration < mostIterations; iteration++) {
    assignToNearest(points, centroids, assignment)
    reviveEmpty(assignment, start.rows)
    const moved = middlesOf(points, assignment.assignments, centroids)
    centroids = moved.centroids
    const gain = moved.objective - objective
    objective = moved.objective
    if (!(gain > leastGain * Math.abs(objective))) break
  }
  return { k: start.rows, assignments: assignment.assignments, centroids, objective }
}

/**
 * Gives each cluster without points the point that is farthest from its centroid, unless that point is alone in its
 * cluster.
 */
function reviveEmpty({ assignments, cosines }: Assignment, k: number): void {
  const sizes = new Uint32Array(k)
  for (const cluster of assignments) sizes[cluster]!++
  for (let cluster = 0; cluster < k; cluster++) {
    if (sizes[cluster] !== 0) continue
    let farthest = -1
    for (let point = 0; point < assignments.length; point++) {
      if (sizes[assignments[point]!]! < 2 || cosines[point]! >= ALIKE) continue
      if (farthest < 0 || cosines[point]! < cosines[farthest]!) farthest = point
    }
    if (farthest < 0) return
    sizes[assignments[farthest]!]!--
    assignments[farthest] = cluster
    cosines[farthest] = 1
    sizes[cluster] = 1
  }
}

const ALIKE = 1 - 1e-6

/**
 * The centroids of an assignment; one without a direction (no points, or points that cancel out) stays where it was.
 */
function middlesOf(
  points: Matrix,
  assignments: Int32Array,
  before: Matrix,
): { readonly centroids: Matrix; readonly objective: number } {
  const { columns } = points
  const sums = new Float64Array(before.rows * columns)
  for (let point = 0; point < points.rows; point++) {
    const from = point * columns
    const to = assignments[point]! * columns
    for (let index = 0; index < columns; index++) sums[to + index]! += points.values[from + index]!
  }
  const centroids = zeroMatrix(before.rows, columns)
  let objective = 0
  for (let cluster = 0; cluster < before.rows; cluster++) {
    const sum = sums.subarray(cluster * columns, (cluster + 1) * columns)
    let squares = 0
    for (const value of sum) squares += value * value
    const length = Math.sqrt(squares)
    objective += length
    const row = rowOf(centroids, cluster)
    if (length === 0) row.set(rowOf(before, cluster))
    else for (let index = 0; index < columns; index++) row[index] = sum[index]! / length
  }
  return { centroids, objective }
}

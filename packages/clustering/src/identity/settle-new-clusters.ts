import { assignToNearest, type Assignment } from '../partition/assign-to-nearest.ts'
import type { Partition } from '../partition/partition.ts'
import { appendRows, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'

/** Clusters with fixed centroids, and the nearest of them for each point. */
export interface FixedClusters extends Assignment {
  readonly centroids: Matrix
}

export function fixClusters(points: Matrix, centroids: Matrix): FixedClusters {
  const assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  assignToNearest(points, centroids, assignment)
  return { ...assignment, centroids }
}

/**
 * The fixed clusters, followed by the `added` ones. Each added centroid moves to the mean direction of the points that
 * are nearer to it than to any fixed one, until the gain is small.
 */
export function settleNewClusters(points: Matrix, fixed: FixedClusters, added: Matrix): Partition {
  let centroids = added
  let settled = withAdded(points, fixed, centroids)
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const moved = centroidsOfAdded(points, settled.assignments, fixed.centroids.rows, centroids)
    const next = withAdded(points, fixed, moved)
    const gain = next.objective - settled.objective
    if (gain <= 0) break
    centroids = moved
    settled = next
    if (gain <= LEAST_GAIN * next.objective) break
  }
  const all = appendRows(fixed.centroids, centroids)
  return { k: all.rows, centroids: all, ...settled }
}

const MOST_ROUNDS = 12
const LEAST_GAIN = 1e-4

/** Of equally near clusters, a fixed one counts. */
function withAdded(
  points: Matrix,
  fixed: FixedClusters,
  added: Matrix,
): { readonly assignments: Int32Array; readonly objective: number } {
  const own = fixed.centroids.rows
  const nearest: Assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  if (added.rows > 0) assignToNearest(points, added, nearest)
  const assignments = fixed.assignments.slice()
  let objective = 0
  for (let point = 0; point < points.rows; point++) {
    const isNearer = added.rows > 0 && nearest.cosines[point]! > fixed.cosines[point]!
    if (isNearer) assignments[point] = own + nearest.assignments[point]!
    objective += isNearer ? nearest.cosines[point]! : fixed.cosines[point]!
  }
  return { assignments, objective }
}

function centroidsOfAdded(points: Matrix, assignments: Int32Array, own: number, before: Matrix): Matrix {
  const { columns } = points
  const sums = new Float64Array(before.rows * columns)
  assignments.forEach((cluster, point) => {
    if (cluster < own) return
    const row = rowOf(points, point)
    for (let index = 0; index < columns; index++) sums[(cluster - own) * columns + index]! += row[index]!
  })
  const centroids = zeroMatrix(before.rows, columns)
  for (let birth = 0; birth < before.rows; birth++) {
    const sum = sums.subarray(birth * columns, (birth + 1) * columns)
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
    rowOf(centroids, birth).set(length === 0 ? rowOf(before, birth) : sum.map((value) => value / length))
  }
  return centroids
}

import { assignToNearest, type Assignment } from '../partition/assign-to-nearest.ts'
import type { Partition } from '../partition/partition.ts'
import { appendRows, pickRows, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'

/** Clusters that stand still, and which of them each point is nearest to. */
export interface Standing extends Assignment {
  readonly centroids: Matrix
}

export function standStill(points: Matrix, centroids: Matrix): Standing {
  const assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  assignToNearest(points, centroids, assignment)
  return { ...assignment, centroids }
}

/** The clusters that stand still, and after them those of `births`, moved to the middle of what is nearer to them until that gains hardly anything. */
export function settleBirths(points: Matrix, standing: Standing, births: Matrix): Partition {
  let centroids = births
  let settled = besides(points, standing, centroids)
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const moved = middlesOf(points, settled.assignments, standing.centroids.rows, centroids)
    const next = besides(points, standing, moved)
    const gain = next.objective - settled.objective
    if (gain <= 0) break
    centroids = moved
    settled = next
    if (gain <= LEAST_GAIN * next.objective) break
  }
  const all = appendRows(standing.centroids, centroids)
  return { k: all.rows, centroids: all, ...settled }
}

/** The best of those where the last birth and an earlier one are one, settled again; null when there is no earlier one. */
export function joinLastBirth(points: Matrix, standing: Standing, grown: Partition): Partition | null {
  const own = standing.centroids.rows
  const last = grown.k - 1
  const earlier = pickRows(
    grown.centroids,
    Uint32Array.from({ length: last - own }, (_, birth) => own + birth),
  )
  let best: Partition | null = null
  for (let other = own; other < last; other++) {
    const assignments = grown.assignments.map((cluster) => (cluster === last ? other : cluster))
    const joined = settleBirths(points, standing, middlesOf(points, assignments, own, earlier))
    if (best === null || joined.objective > best.objective) best = joined
  }
  return best
}

const MOST_ROUNDS = 12
const LEAST_GAIN = 1e-4

/** Of clusters that are equally near, one that stands still counts. */
function besides(
  points: Matrix,
  standing: Standing,
  births: Matrix,
): { readonly assignments: Int32Array; readonly objective: number } {
  const own = standing.centroids.rows
  const nearest: Assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  if (births.rows > 0) assignToNearest(points, births, nearest)
  const assignments = standing.assignments.slice()
  let objective = 0
  for (let point = 0; point < points.rows; point++) {
    const isNearer = births.rows > 0 && nearest.cosines[point]! > standing.cosines[point]!
    if (isNearer) assignments[point] = own + nearest.assignments[point]!
    objective += isNearer ? nearest.cosines[point]! : standing.cosines[point]!
  }
  return { assignments, objective }
}

function middlesOf(points: Matrix, assignments: Int32Array, own: number, before: Matrix): Matrix {
  const { columns } = points
  const sums = new Float64Array(before.rows * columns)
  assignments.forEach((cluster, point) => {
    if (cluster < own) return
    const row = rowOf(points, point)
    for (let index = 0; index < columns; index++) sums[(cluster - own) * columns + index]! += row[index]!
  })
  const middles = zeroMatrix(before.rows, columns)
  for (let birth = 0; birth < before.rows; birth++) {
    const sum = sums.subarray(birth * columns, (birth + 1) * columns)
    const length = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
    rowOf(middles, birth).set(length === 0 ? rowOf(before, birth) : sum.map((value) => value / length))
  }
  return middles
}

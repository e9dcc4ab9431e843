import { rowOf, type Matrix } from '../matrix.ts'
import type { Partition } from '../partition/partition.ts'

/** The cosine of each point to the centroid of its own cluster. */
export function ownCosines(
  points: Matrix,
  { assignments, centroids }: Pick<Partition, 'assignments' | 'centroids'>,
): Float32Array {
  const cosines = new Float32Array(points.rows)
  for (let point = 0; point < points.rows; point++) {
    cosines[point] = dot(rowOf(points, point), rowOf(centroids, assignments[point]!))
  }
  return cosines
}

export function dot(first: Float32Array, second: Float32Array): number {
  let sum = 0
  for (let index = 0; index < first.length; index++) sum += first[index]! * second[index]!
  return sum
}

export function sizesOf(assignments: Int32Array, k: number): Uint32Array {
  const sizes = new Uint32Array(k)
  for (const cluster of assignments) sizes[cluster]!++
  return sizes
}

/** Mean cosine of each cluster's points to its centroid, 0 for one without points. */
export function cohesionsOf(assignments: Int32Array, cosines: Float32Array, k: number): Float64Array {
  const sums = new Float64Array(k)
  assignments.forEach((cluster, point) => (sums[cluster]! += cosines[point]!))
  const sizes = sizesOf(assignments, k)
  return sums.map((sum, cluster) => (sizes[cluster] === 0 ? 0 : sum / sizes[cluster]!))
}

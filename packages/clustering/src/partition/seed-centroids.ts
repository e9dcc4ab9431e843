import { dotProduct, isZero, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { drawIndex } from './seeded-random.ts'

/**
 * Initial centroids by greedy k-means++: each further one is the best of a few points drawn by their distance to those
 * before it. Fewer than k when there are fewer distinct points; at least one, which is zero when all points are.
 */
export function seedCentroids(points: Matrix, k: number, random: () => number): Matrix {
  const { columns } = points
  const chosen: number[] = []
  let distances: Float64Array = initialDistances(points)
  const candidates = 2 + Math.floor(Math.log(Math.max(1, k)))
  for (;;) {
    let best: { point: number; distances: Float64Array; sum: number } | null = null
    for (let candidate = 0; candidate < (chosen.length === 0 ? 1 : candidates); candidate++) {
      const point = drawIndex(distances, random)
      if (point < 0) break
      const after = distancesWith(points, point, distances)
      if (best === null || after.sum < best.sum) best = { point, ...after }
    }
    if (best === null) break
    chosen.push(best.point)
    distances = best.distances
    if (chosen.length === k) break
  }
  const seeds = zeroMatrix(Math.max(1, chosen.length), columns)
  chosen.forEach((point, index) => seeds.values.set(rowOf(points, point), index * columns))
  return seeds
}

/** Before the first choice every point that has a direction is equally distant. */
function initialDistances(points: Matrix): Float64Array {
  return Float64Array.from({ length: points.rows }, (_, row) => (isZero(rowOf(points, row)) ? 0 : 2))
}

/**
 * 1 - cosine to the nearest chosen one, which is half the squared distance. Rows of zeros stay at 0 and are never
 * drawn.
 */
function distancesWith(points: Matrix, chosen: number, before: Float64Array): { distances: Float64Array; sum: number } {
  const distances = new Float64Array(points.rows)
  const target = Float64Array.from(rowOf(points, chosen))
  let sum = 0
  for (let point = 0; point < points.rows; point++) {
    const known = before[point]!
    if (known === 0) continue
    const cosine = dotProduct(rowOf(points, point), target, 0)
    const distance = 1 - cosine < SAME ? 0 : Math.min(known, 1 - cosine)
    distances[point] = distance
    sum += distance
  }
  return { distances, sum }
}

const SAME = 1e-6

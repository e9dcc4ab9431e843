import { dot } from './identity/cosines.ts'
import { rowOf, type Matrix } from './matrix.ts'

export interface RepresentativePoint {
  /** Index of the point. */
  readonly point: number
  /** Cosine to the centroid. */
  readonly similarity: number
}

/**
 * Chooses members that stand for the cluster. The first is the nearest to the centroid; each further one is the best by
 * maximal marginal relevance (Carbonell and Goldstein 1998): near the centroid and unlike those chosen before. All
 * members are returned when there are at most FEWEST.
 *
 * @param members indexes of points, ascending
 * @param cosines of every point to its centroid
 */
export function chooseRepresentatives(
  points: Matrix,
  members: Uint32Array,
  cosines: Float32Array,
): readonly RepresentativePoint[] {
  const pool = [...members].sort((a, b) => cosines[b]! - cosines[a]! || a - b).slice(0, POOL)
  const count = Math.min(pool.length, Math.max(FEWEST, Math.min(MOST, Math.floor(members.length / 10))))
  const likeness = new Float64Array(pool.length).fill(-1)
  const chosen: RepresentativePoint[] = []
  while (chosen.length < count) {
    let best = -1
    let greatest = -Infinity
    pool.forEach((point, index) => {
      const score = chosen.length === 0 ? -index : RELEVANCE * cosines[point]! - (1 - RELEVANCE) * likeness[index]!
      if (likeness[index] === TAKEN || score <= greatest) return
      best = index
      greatest = score
    })
    const point = pool[best]!
    chosen.push({ point, similarity: cosines[point]! })
    likeness[best] = TAKEN
    pool.forEach((other, index) => {
      if (likeness[index] === TAKEN) return
      likeness[index] = Math.max(likeness[index]!, dot(rowOf(points, point), rowOf(points, other)))
    })
  }
  return chosen
}

const FEWEST = 5
const MOST = 10
/** Weight of nearness against dissimilarity. */
const RELEVANCE = 0.7
/**
 * Only this many of the nearest members are candidates: distant ones represent the cluster badly, however different
 * they are.
 */
const POOL = 100
const TAKEN = Infinity

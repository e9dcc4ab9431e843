import { dot } from './identity/cosines.ts'
import { rowOf, type Matrix } from './matrix.ts'

export interface RepresentativePoint {
  /** Index of the point. */
  readonly point: number
  /** Cosine to the centroid. */
  readonly similarity: number
}

/**
 * Chooses members that stand for the cluster, of those near the centres of its parts. The first is the nearest to the
 * centre of the largest part, the second the one most unlike it. Each further one is the best by maximal marginal
 * relevance (Carbonell and Goldstein 1998): near the centroid and unlike those chosen before. All members are returned
 * when there are at most FEWEST.
 *
 * @param parts as returned by `partsOf`
 * @param cosines of every point to its centroid
 */
export function chooseRepresentatives(
  points: Matrix,
  parts: readonly Uint32Array[],
  cosines: Float32Array,
): readonly RepresentativePoint[] {
  const pool = parts.flatMap((part) => [...part.subarray(0, nearestCount(part.length, parts.length))])
  const size = parts.reduce((sum, { length }) => sum + length, 0)
  const count = Math.min(pool.length, Math.max(FEWEST, Math.min(MOST, Math.floor(size / 10))))
  const likeness = new Float64Array(pool.length).fill(-1)
  const chosen: RepresentativePoint[] = []
  while (chosen.length < count) {
    let best = -1
    let greatest = -Infinity
    pool.forEach((point, index) => {
      const relevance = chosen.length === 1 ? 0 : RELEVANCE
      const score = chosen.length === 0 ? -index : relevance * cosines[point]! - (1 - relevance) * likeness[index]!
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
 * Only this many of the nearest members are candidates, and at most half: distant ones represent the cluster badly,
 * however different they are.
 */
const POOL = 100

function nearestCount(size: number, parts: number): number {
  return Math.max(FEWEST, Math.min(Math.ceil(size / 2), POOL / parts))
}

const TAKEN = Infinity

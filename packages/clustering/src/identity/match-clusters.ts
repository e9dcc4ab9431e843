import { rowOf } from '../matrix.ts'
import { dot } from './cosines.ts'
import { agreementOf, type Overlap } from './overlap.ts'
import type { SampledCentroids } from './sampled-centroids.ts'
import type { IdentityThresholds } from './thresholds.ts'

/** A cluster of this run matched with one of the last run. */
export interface Kept {
  readonly previous: number
  /** The Jaccard index over common traces … */
  readonly jaccard: number
  /** … if either cluster has so many of them. */
  readonly commonTraces: number
  /** Cosine of the centroids. */
  readonly cosine: number
  /**
   * The cosine as a share of the cosine expected between two samples of one topic, at most 1: small clusters have
   * imprecise centroids.
   */
  readonly likeness: number
}

/**
 * The cluster of the last run that each cluster of this one matches, null for none. The order of centroids has no
 * meaning. Clusters match by their traces, and by their centroids only when too few traces are in both runs. The best
 * pair is matched first.
 */
export function matchClusters(
  previous: SampledCentroids,
  current: SampledCentroids,
  overlap: Overlap,
  thresholds: IdentityThresholds,
): readonly (Kept | null)[] {
  const [rows, columns] = [current.centroids.rows, previous.centroids.rows]
  const pairs = Array.from({ length: rows * columns }, (_, index): Kept => {
    const now = Math.floor(index / columns)
    const then = index % columns
    const { traces, jaccard } = agreementOf(overlap, then, now)
    const cosine = dot(rowOf(previous.centroids, then), rowOf(current.centroids, now))
    const expected = Math.max(LEAST_EXPECTED, previous.precisions[then]! * current.precisions[now]!)
    return { previous: then, jaccard, commonTraces: traces, cosine, likeness: Math.min(1, cosine / expected) }
  })
  const best = pairs
    .map((pair, at) => ({ pair, now: Math.floor(at / columns), score: scoreOf(pair, thresholds) }))
    .filter(({ pair, score }) => mayBeKept(pair, thresholds) && score > 0)
    .sort((a, b) => b.score - a.score)
  const matches = Array.from({ length: rows }, (): Kept | null => null)
  const taken = new Set<number>()
  for (const { pair, now } of best) {
    if (matches[now] !== null || taken.has(pair.previous)) continue
    matches[now] = pair
    taken.add(pair.previous)
  }
  return matches
}

function mayBeKept(pair: Kept, thresholds: IdentityThresholds): boolean {
  if (decidedByTraces(pair, thresholds)) return pair.jaccard >= thresholds.keptJaccard
  return pair.likeness >= thresholds.keptLikeness
}

/** Whether enough traces are in both runs to decide by them alone. */
export function decidedByTraces({ commonTraces }: Kept, { leastCommonTraces }: IdentityThresholds): boolean {
  return commonTraces >= leastCommonTraces
}

function scoreOf(pair: Kept, thresholds: IdentityThresholds): number {
  return decidedByTraces(pair, thresholds) ? pair.jaccard : pair.cosine
}

/**
 * The least expected cosine: a few scattered traces do not determine where their topic lies, so centroids must agree at
 * least relative to this.
 */
const LEAST_EXPECTED = 0.6

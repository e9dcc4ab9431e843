import { rowOf, type Matrix } from '../matrix.ts'
import { assignPairs } from './assign-pairs.ts'
import { dot } from './cosines.ts'
import { agreementOf, type Overlap } from './overlap.ts'
import type { IdentityThresholds } from './thresholds.ts'

/** A cluster of this run that is one of the last run's. */
export interface Kept {
  readonly previous: number
  /** The Jaccard index over common traces … */
  readonly jaccard: number
  /** … of which there are so many in either cluster. */
  readonly commonTraces: number
  /** Of the centroids. */
  readonly cosine: number
}

/**
 * Which cluster of the last run each cluster of this one is, null for none. A place in the list of centroids says nothing: clusters are the same by what they hold,
 * and by where they are only when too few traces were seen by both runs. Pairs that may not be kept do not take part, so that they push nobody aside.
 */
export function matchClusters(
  previous: Matrix,
  current: Matrix,
  overlap: Overlap,
  thresholds: IdentityThresholds,
): readonly (Kept | null)[] {
  const pairs = Array.from({ length: current.rows * previous.rows }, (_, index): Kept => {
    const now = Math.floor(index / previous.rows)
    const then = index % previous.rows
    const { traces, jaccard } = agreementOf(overlap, then, now)
    return { previous: then, jaccard, commonTraces: traces, cosine: dot(rowOf(previous, then), rowOf(current, now)) }
  })
  const scores = Float64Array.from(pairs, (pair) => (mayBeKept(pair, thresholds) ? scoreOf(pair, thresholds) : 0))
  return Array.from(assignPairs(scores, current.rows, previous.rows), (then, now) => {
    const at = now * previous.rows + then
    return then < 0 || scores[at] === 0 ? null : pairs[at]!
  })
}

function mayBeKept(pair: Kept, thresholds: IdentityThresholds): boolean {
  const { jaccard, commonTraces, cosine } = pair
  const { keptJaccard, keptCosine, fewCommonTraces, fewCosine } = thresholds
  if (knownByTraces(pair, thresholds)) return jaccard >= keptJaccard
  return cosine >= keptCosine || (commonTraces >= fewCommonTraces && jaccard >= keptJaccard && cosine >= fewCosine)
}

/** Whether enough traces were seen by both runs to tell by them alone. */
export function knownByTraces({ commonTraces }: Kept, { leastCommonTraces }: IdentityThresholds): boolean {
  return commonTraces >= leastCommonTraces
}

function scoreOf(pair: Kept, thresholds: IdentityThresholds): number {
  const { jaccardWeight } = thresholds
  const { jaccard, cosine } = pair
  return knownByTraces(pair, thresholds) ? jaccardWeight * jaccard + (1 - jaccardWeight) * Math.max(0, cosine) : cosine
}

import { assignToNearest } from '../partition/assign-to-nearest.ts'
import type { Partition } from '../partition/partition.ts'
import { type Share, shareDifferenceZ } from '../statistics/two-proportions.ts'
import type { ContinuedRun } from './continued-run.ts'
import type { IdentityThresholds } from './thresholds.ts'

type Seen = Pick<ContinuedRun, 'before' | 'earlier' | 'thresholds'>

/** Whether enough traces of the last run are here to tell new topics by the traces it had not seen. */
export function hasOverlap({ before, thresholds }: Seen): boolean {
  return countSeen(before) >= thresholds.leastCommonTraces
}

/**
 * Weights for the choice of a place. A trace that the last run saw has a cluster already, or was not worth one: it
 * counts against a place as much as it would count for it if nothing were new.
 */
export function newnessWeights(run: Seen): (point: number) => number {
  if (!hasOverlap(run)) return () => 1
  const { before } = run
  const seen = countSeen(before)
  const against = (before.length - seen) / seen
  return (point) => (before[point]! < 0 ? 1 : -against)
}

/**
 * Whether a cluster consists of traces that the last run had not seen, or has risen since an earlier one; true when
 * that cannot be determined.
 */
export function isNew(partition: Pick<Partition, 'assignments' | 'centroids'>, cluster: number, run: Seen): boolean {
  return !hasOverlap(run) || isUnseen(partition, cluster, run) || hasRisen(partition, cluster, run)
}

/**
 * Whether the share of a cluster is larger than among the traces of an earlier run. A topic that rises slowly is never
 * new to the last run.
 */
export function hasRisen(
  { assignments, centroids }: Pick<Partition, 'assignments' | 'centroids'>,
  cluster: number,
  { earlier, thresholds }: Seen,
): boolean {
  if (earlier === null || earlier.rows < thresholds.leastCommonTraces) return false
  const sharesOf = (all: Int32Array): Share => ({
    hits: all.reduce((hits, own) => (own === cluster ? hits + 1 : hits), 0),
    total: all.length,
  })
  return rose(sharesOf(assignToNearest(earlier, centroids).assignments), sharesOf(assignments), thresholds)
}

export function isUnseen({ assignments }: Pick<Partition, 'assignments'>, cluster: number, run: Seen): boolean {
  const { before, thresholds } = run
  const seen = { hits: 0, total: 0 }
  const unseen = { hits: 0, total: 0 }
  before.forEach((then, point) => {
    const side = then < 0 ? unseen : seen
    side.total++
    if (assignments[point] === cluster) side.hits++
  })
  return rose(seen, unseen, thresholds)
}

function rose(then: Share, now: Share, { shareRatio, shareZ }: IdentityThresholds): boolean {
  const grew = now.hits / now.total >= (1 + shareRatio) * (then.hits / then.total)
  return grew && shareDifferenceZ(then, now) > shareZ
}

function countSeen(before: Int32Array): number {
  return before.reduce((count, cluster) => (cluster < 0 ? count : count + 1), 0)
}

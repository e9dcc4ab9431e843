import type { Partition } from '../partition/partition.ts'
import { shareDifferenceZ } from '../statistics/two-proportions.ts'
import type { ContinuedRun } from './continued-run.ts'

type Seen = Pick<ContinuedRun, 'before' | 'thresholds'>

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

/** Whether a cluster consists of traces that the last run had not seen; true when that cannot be determined. */
export function isNew({ assignments }: Pick<Partition, 'assignments'>, cluster: number, run: Seen): boolean {
  if (!hasOverlap(run)) return true
  const { before, thresholds } = run
  const seen = { hits: 0, total: 0 }
  const unseen = { hits: 0, total: 0 }
  before.forEach((then, point) => {
    const side = then < 0 ? unseen : seen
    side.total++
    if (assignments[point] === cluster) side.hits++
  })
  const grew = unseen.hits / unseen.total >= (1 + thresholds.shareRatio) * (seen.hits / seen.total)
  return grew && shareDifferenceZ(seen, unseen) > thresholds.shareZ
}

function countSeen(before: Int32Array): number {
  return before.reduce((count, cluster) => (cluster < 0 ? count : count + 1), 0)
}

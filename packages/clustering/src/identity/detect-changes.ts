import { shareDifferenceZ, type Share } from '../statistics/two-proportions.ts'
import type { ClusterChange, ClusterShifted, ShiftReason } from './cluster-change.ts'
import { decidedByTraces, type Kept } from './match-clusters.ts'
import { agreementOf, type Overlap } from './overlap.ts'
import type { PreviousRun } from './previous-run.ts'
import type { IdentityThresholds } from './thresholds.ts'

export interface ComparedRun {
  readonly previous: PreviousRun
  readonly matches: readonly (Kept | null)[]
  readonly overlap: Overlap
  /** Sizes of this run's clusters. */
  readonly sizes: Uint32Array
  readonly traceCount: number
}

/** The events of this run, in the order of its clusters. */
export function detectChanges(run: ComparedRun, thresholds: IdentityThresholds): readonly ClusterChange[] {
  return run.matches.flatMap((kept, cluster): readonly ClusterChange[] => {
    if (kept === null) return [{ kind: 'created', cluster }]
    const shifted = changeOfKept(run, kept, cluster, thresholds)
    return shifted === null ? [] : [shifted]
  })
}

function changeOfKept(
  run: ComparedRun,
  kept: Kept,
  cluster: number,
  thresholds: IdentityThresholds,
): ClusterShifted | null {
  const { previous, overlap, sizes, traceCount } = run
  const { id, size: previousSize } = previous.clusters[kept.previous]!
  const then: Share = { hits: previousSize, total: previous.traceIds.length }
  const now: Share = { hits: sizes[cluster]!, total: traceCount }
  const byTraces = decidedByTraces(kept, thresholds)
  const moved = byTraces && kept.jaccard < thresholds.shiftedJaccard
  const trend = trendOf(then, now, thresholds)
  if (!moved && trend === null) return null
  const splitInto = moved ? partnersNow(run, kept.previous, cluster, thresholds) : []
  const mergedFrom = moved ? partnersThen(run, kept.previous, cluster, thresholds) : []
  const membership: ShiftReason = splitInto.length > 0 ? 'split' : mergedFrom.length > 0 ? 'merged' : 'membership'
  const { both } = agreementOf(overlap, kept.previous, cluster)
  return {
    kind: 'shifted',
    cluster,
    id,
    reason: moved ? membership : trend!,
    similarity: Math.min(1, Math.max(0, byTraces ? kept.jaccard : kept.cosine)),
    size: now.hits,
    previousSize,
    share: now.hits / now.total,
    previousShare: then.hits / then.total,
    joined: now.hits - both,
    left: overlap.previous[kept.previous]! - both,
    splitInto,
    mergedFrom: mergedFrom.map((index) => previous.clusters[index]!.id),
  }
}

/** Samples of two runs overlap, so the true error is smaller than z assumes: the test errs on the side of no event. */
function trendOf(
  then: Share,
  now: Share,
  { shareDifference, shareRatio, shareZ }: IdentityThresholds,
): ShiftReason | null {
  const [before, after] = [then.hits / then.total, now.hits / now.total]
  if (Math.abs(after - before) < shareDifference || Math.abs(shareDifferenceZ(then, now)) <= shareZ) return null
  if (after >= before * (1 + shareRatio)) return 'grew'
  return after <= before * (1 - shareRatio) ? 'shrank' : null
}

/** Other clusters of this run with a large share of its traces. */
function partnersNow(run: ComparedRun, then: number, now: number, { partnerShare }: IdentityThresholds): number[] {
  const { overlap } = run
  return [...overlap.current.keys()].filter(
    (other) => other !== now && agreementOf(overlap, then, other).both >= partnerShare * overlap.previous[then]!,
  )
}

/** Other clusters of the last run that make up a large share of it and gave it most of their traces. */
function partnersThen(run: ComparedRun, then: number, now: number, { partnerShare }: IdentityThresholds): number[] {
  const { overlap } = run
  return [...overlap.previous.keys()].filter((other) => {
    if (other === then) return false
    const { both } = agreementOf(overlap, other, now)
    return both >= partnerShare * overlap.current[now]! && both >= overlap.previous[other]! / 2
  })
}

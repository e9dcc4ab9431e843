import type { Partition } from '../partition/partition.ts'
import type { ContinuedRun } from './continued-run.ts'
import { matchClusters, type Kept } from './match-clusters.ts'
import { isNew } from './newness.ts'
import { countOverlap, type Overlap } from './overlap.ts'
import { formerCentroids, sampledCentroids } from './sampled-centroids.ts'
import { lossesWithout, withoutCluster } from './shrink-by-one.ts'

/** A partition, and for each of its clusters the matching one of the last run. */
export interface Matched {
  readonly partition: Partition
  readonly overlap: Overlap
  readonly matches: readonly (Kept | null)[]
}

export function keptCount({ matches }: Matched): number {
  return matches.filter((match) => match !== null).length
}

/**
 * Drops clusters that match none of the last run and do not meet the conditions for a new one: the objective would lose
 * enough without it, and it consists of traces that the last run had not seen. Of several, the one
 * with the least loss is dropped first. One whose removal would cost an id stays: where its points go, clusters may
 * stop matching and be dropped in turn, down to the last. The last `addedLast` clusters have already shown their gain.
 */
export function dropUnmatched(partition: Partition, addedLast: number, run: ContinuedRun): Matched {
  const { points, kMin, thresholds } = run
  let rest = matchPartition(partition, run)
  let added = addedLast
  for (;;) {
    const { partition: settled } = rest
    const { k, objective } = settled
    if (k <= kMin) return rest
    const losses = lossesWithout(points, settled)
    const earnsPlace = (cluster: number): boolean =>
      (cluster >= k - added || losses[cluster]! >= thresholds.newGain * objective) && isNew(settled, cluster, run)
    const unmatched = [...rest.matches.keys()].filter(
      (cluster) => rest.matches[cluster] === null && !earnsPlace(cluster),
    )
    unmatched.sort((a, b) => losses[a]! - losses[b]! || a - b)
    let shrunk: Matched | null = null
    for (const candidate of unmatched) {
      const without = matchPartition(withoutCluster(points, rest.partition, candidate), run)
      if (keptCount(without) < keptCount(rest)) continue
      if (candidate >= k - added) added--
      shrunk = without
      break
    }
    if (shrunk === null) return rest
    rest = shrunk
  }
}

export function matchPartition(
  partition: Partition,
  { points, previous, before, thresholds }: Pick<ContinuedRun, 'points' | 'previous' | 'before' | 'thresholds'>,
): Matched {
  const overlap = countOverlap(before, previous.clusters.length, partition.assignments, partition.k)
  const current = sampledCentroids(points, partition)
  return { partition, overlap, matches: matchClusters(formerCentroids(previous), current, overlap, thresholds) }
}

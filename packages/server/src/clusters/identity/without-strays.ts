import type { Partition } from '../clustering/partition.ts'
import type { ContinuedRun } from './continued-run.ts'
import { sizesOf } from './cosines.ts'
import { matchClusters } from './match-clusters.ts'
import { isNew } from './newness.ts'
import { countOverlap } from './overlap.ts'
import { lossesWithout, withoutCluster } from './shrink-by-one.ts'

/**
 * A centroid that is no longer any of the last run's clusters must earn its place as a new one does: by what would be lost without it, by its size, and by being made of
 * what that run had not seen. Of those that do not, the one that is missed least goes first. The last `bornLast` have proved their gain.
 */
export function withoutStrays(partition: Partition, bornLast: number, run: ContinuedRun): Partition {
  const { points, previous, before, kMin, thresholds } = run
  let rest = partition
  let births = bornLast
  while (rest.k > kMin) {
    const overlap = countOverlap(before, previous.clusters.length, rest.assignments, rest.k)
    const matches = matchClusters(previous.centroids, rest.centroids, overlap, thresholds)
    const sizes = sizesOf(rest.assignments, rest.k)
    const losses = lossesWithout(points, rest)
    const earnsPlace = (cluster: number): boolean =>
      sizes[cluster]! >= thresholds.birthShare * points.rows &&
      (cluster >= rest.k - births || losses[cluster]! >= thresholds.birthGain * rest.objective) &&
      isNew(rest, cluster, run)
    const strays = [...matches.keys()].filter((cluster) => matches[cluster] === null && !earnsPlace(cluster))
    const [stray] = strays.sort((a, b) => losses[a]! - losses[b]! || a - b)
    if (stray === undefined) break
    if (stray >= rest.k - births) births--
    rest = withoutCluster(points, rest, stray)
  }
  return rest
}

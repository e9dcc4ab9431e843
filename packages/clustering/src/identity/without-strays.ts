import type { Partition } from '../partition/partition.ts'
import type { ContinuedRun } from './continued-run.ts'
import { sizesOf } from './cosines.ts'
import { matchClusters, type Kept } from './match-clusters.ts'
import { isNew } from './newness.ts'
import { countOverlap } from './overlap.ts'
import { formerCentroids, sampledCentroids } from './sampled-centroids.ts'
import { lossesWithout, withoutCluster } from './shrink-by-one.ts'

/** A partition, and which cluster of the last run each of its clusters is. */
export interface Recognised {
  readonly partition: Partition
  readonly matches: readonly (Kept | null)[]
}

export function keptCount({ matches }: Recognised): number {
  return matches.filter((match) => match !== null).length
}

/**
 * A centroid that is no longer any of the last run's clusters must earn its place as a new one does: by what would be lost without it, by its size, and by being made of
 * what that run had not seen. Of those that do not, the one that is missed least goes first, unless an id would go with it: where its points went, clusters may be no
 * longer themselves and go, too, and so on to the last. The last `bornLast` have proved their gain.
 */
export function withoutStrays(partition: Partition, bornLast: number, run: ContinuedRun): Recognised {
  const { points, before, kMin, thresholds } = run
  let rest = recognise(partition, run)
  let births = bornLast
  for (;;) {
    const { k, assignments, objective } = rest.partition
    if (k <= kMin) return rest
    const sizes = sizesOf(assignments, k)
    const losses = lossesWithout(points, rest.partition)
    const earnsPlace = (cluster: number): boolean =>
      sizes[cluster]! >= thresholds.birthShare * before.length &&
      (cluster >= k - births || losses[cluster]! >= thresholds.birthGain * objective) &&
      isNew({ assignments }, cluster, run)
    const strays = [...rest.matches.keys()].filter((cluster) => rest.matches[cluster] === null && !earnsPlace(cluster))
    strays.sort((a, b) => losses[a]! - losses[b]! || a - b)
    let shrunk: Recognised | null = null
    for (const stray of strays) {
      const without = recognise(withoutCluster(points, rest.partition, stray), run)
      if (keptCount(without) < keptCount(rest)) continue
      if (stray >= k - births) births--
      shrunk = without
      break
    }
    if (shrunk === null) return rest
    rest = shrunk
  }
}

function recognise(partition: Partition, { points, previous, before, thresholds }: ContinuedRun): Recognised {
  const overlap = countOverlap(before, previous.clusters.length, partition.assignments, partition.k)
  const current = sampledCentroids(points, partition)
  return { partition, matches: matchClusters(formerCentroids(previous), current, overlap, thresholds) }
}

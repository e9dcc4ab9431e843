import { assignToNearest } from '../partition/assign-to-nearest.ts'
import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { appendRows, isZero, pickRows, rowOf } from '../matrix.ts'
import type { ContinuedRun } from './continued-run.ts'
import { cohesionsOf, sizesOf } from './cosines.ts'
import { findNewClusters } from './find-new-clusters.ts'
import { shrinkByOne } from './shrink-by-one.ts'
import { keptCount, dropUnmatched } from './drop-unmatched.ts'

/**
 * Starts from the last run's centroids without those that lost their traces, adds a cluster for each new topic, and
 * settles all of them on the points of this run. A new topic is not just a cluster that would improve the objective,
 * because the last run may have decided against that one: it consists of traces that the last run had not seen. Returns
 * null when no cluster of the last run is left.
 */
export function warmStart(run: ContinuedRun): Partition | null {
  const { points, previous, kMax } = run
  const surviving = survivingClusters(run)
  if (surviving.length === 0) return null
  const old = pickRows(previous.centroids, surviving)
  const without = dropUnmatched(sphericalKMeans(points, old), 0, run)
  const added = findNewClusters(run, old)
  for (let count = added.rows; count > 0; count--) {
    const newest = pickRows(added, Uint32Array.from(Array(count).keys()))
    const grown = dropUnmatched(sphericalKMeans(points, appendRows(old, newest)), count, run)
    if (grown.partition.k > kMax) return replaceWeakest(grown.partition, without.partition, run)
    // A new cluster may take so many traces of another that the other no longer matches; among vague clusters that can
    // continue to the last.
    if (keptCount(grown) >= keptCount(without) - count) return grown.partition
  }
  return without.partition
}

/**
 * At `kMax`, new clusters replace others. Each has met the condition for a gain, so together they only need to gain
 * more than the objective loses without the replaced ones.
 */
function replaceWeakest(grown: Partition, without: Partition, { points, kMax }: ContinuedRun): Partition {
  let partition = grown
  while (partition.k > kMax) partition = shrinkByOne(points, partition)
  return partition.objective > without.objective ? partition : without
}

/**
 * The clusters that still have their traces. A vanished topic's centroid is still the nearest one for a few other
 * traces, and would move to them.
 */
function survivingClusters({ points, previous, thresholds }: ContinuedRun): Uint32Array {
  const { assignments, cosines } = assignToNearest(points, previous.centroids)
  const k = previous.centroids.rows
  const sizes = sizesOf(assignments, k)
  const cohesions = cohesionsOf(assignments, cosines, k)
  const surviving = previous.clusters.flatMap(({ size, cohesion }, cluster) => {
    const now = sizes[cluster]!
    const shrank = now / points.rows < (thresholds.emptiedShare * size) / previous.traceIds.length
    const lostTraces = shrank && cohesions[cluster]! < thresholds.emptiedCohesion * cohesion
    return now === 0 || lostTraces || isZero(rowOf(previous.centroids, cluster)) ? [] : [cluster]
  })
  return Uint32Array.from(surviving)
}

import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { appendRows, isZero, pickRows, rowOf } from '../matrix.ts'
import type { ContinuedRun } from './continued-run.ts'
import { cohesionsOf, sizesOf } from './cosines.ts'
import { findBirths } from './find-births.ts'
import { standStill } from './settle-births.ts'
import { shrinkByOne } from './shrink-by-one.ts'
import { keptCount, withoutStrays } from './without-strays.ts'

/**
 * Clusters that go on from where the last run's were: its centroids without those that lost their traces, and a further one for each topic that is new, settled
 * together on the points of this run. A new topic is not merely a cluster that would pay (the last run may have had those, and left them): it is made of what the last run had not seen. Null when nothing is left of the last run.
 */
export function warmStart(run: ContinuedRun): Partition | null {
  const { points, previous, kMax } = run
  const alive = aliveClusters(run)
  if (alive.length === 0) return null
  const old = pickRows(previous.centroids, alive)
  const without = withoutStrays(sphericalKMeans(points, old), 0, run)
  const births = findBirths(run, old)
  for (let count = births.rows; count > 0; count--) {
    const born = pickRows(births, Uint32Array.from(Array(count).keys()))
    const grown = withoutStrays(sphericalKMeans(points, appendRows(old, born)), count, run)
    if (grown.partition.k > kMax) return inExchange(grown.partition, without.partition, run)
    // A new one may take so much of another, once all settle, that this is no longer itself; among vague clusters that goes on to the last.
    if (keptCount(grown) >= keptCount(without) - count) return grown.partition
  }
  return without.partition
}

/** New ones in the places of others: each has gained what a new one must, so together they need only gain more than those are missed. */
function inExchange(grown: Partition, without: Partition, { points, kMax }: ContinuedRun): Partition {
  let partition = grown
  while (partition.k > kMax) partition = shrinkByOne(points, partition)
  return partition.objective > without.objective ? partition : without
}

/** A vanished topic's centroid still is the nearest for some strays, and would wander off with them. */
function aliveClusters({ points, previous, thresholds }: ContinuedRun): Uint32Array {
  const { assignments, cosines } = standStill(points, previous.centroids)
  const k = previous.centroids.rows
  const sizes = sizesOf(assignments, k)
  const cohesions = cohesionsOf(assignments, cosines, k)
  const alive = previous.clusters.flatMap(({ size, cohesion }, cluster) => {
    const now = sizes[cluster]!
    const shrank = now / points.rows < (thresholds.emptiedShare * size) / previous.traceIds.length
    const strays = shrank && cohesions[cluster]! < thresholds.emptiedCohesion * cohesion
    return now === 0 || strays || isZero(rowOf(previous.centroids, cluster)) ? [] : [cluster]
  })
  return Uint32Array.from(alive)
}

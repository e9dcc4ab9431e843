import { assignToNearest, type Assignment } from '../clustering/assign-to-nearest.ts'
import type { Partition } from '../clustering/partition.ts'
import { sphericalKMeans } from '../clustering/spherical-k-means.ts'
import { isZero, pickRows, rowOf, type Matrix } from '../matrix.ts'
import { shareDifferenceZ } from '../statistics/two-proportions.ts'
import { cohesionsOf, sizesOf } from './cosines.ts'
import { growByOne } from './grow-by-one.ts'
import { matchClusters } from './match-clusters.ts'
import { countOverlap } from './overlap.ts'
import type { PreviousRun } from './previous-run.ts'
import { lossesWithout, shrinkByOne, withoutCluster } from './shrink-by-one.ts'
import type { IdentityThresholds } from './thresholds.ts'

export interface WarmStart {
  readonly points: Matrix
  readonly previous: PreviousRun
  /** For each point its cluster in the last run, -1 when that did not see it. */
  readonly before: Int32Array
  readonly kMin: number
  readonly kMax: number
  readonly random: () => number
  readonly thresholds: IdentityThresholds
}

/**
 * Clusters that go on from where the last run's were: its centroids without those that lost their traces, settled on the points of this run, and a further one for
 * each topic that is new. A new topic is not merely a cluster that would pay (the last run may have had those, and left them): it is made of what the last run had not seen. Null when nothing is left of the last run.
 */
export function warmStart(start: WarmStart): Partition | null {
  const { points, previous, random } = start
  const alive = aliveClusters(start)
  if (alive.length === 0) return null
  let partition = withoutStrays(sphericalKMeans(points, pickRows(previous.centroids, alive)), start)
  for (;;) {
    const grown = growByOne(points, partition, random, newnessWeights(start))
    if (grown === null || !isBirth(grown, partition, start)) return partition
    const fitting = grown.k > start.kMax ? shrinkByOne(points, grown) : grown
    // In exchange for another: the sum must be worth it.
    if (fitting.objective < partition.objective * (1 + start.thresholds.birthGain)) return partition
    partition = fitting
  }
}

/** A vanished topic's centroid still is the nearest for some strays, and would wander off with them. */
function aliveClusters({ points, previous, thresholds }: WarmStart): Uint32Array {
  const assignment: Assignment = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  assignToNearest(points, previous.centroids, assignment)
  const k = previous.centroids.rows
  const sizes = sizesOf(assignment.assignments, k)
  const cohesions = cohesionsOf(assignment.assignments, assignment.cosines, k)
  const alive = previous.clusters.flatMap(({ size, cohesion }, cluster) => {
    const now = sizes[cluster]!
    const shrank = now / points.rows < (thresholds.emptiedShare * size) / previous.traceIds.length
    const strays = shrank && cohesions[cluster]! < thresholds.emptiedCohesion * cohesion
    return now === 0 || strays || isZero(rowOf(previous.centroids, cluster)) ? [] : [cluster]
  })
  return Uint32Array.from(alive)
}

/** A centroid that is no longer any of the last run's clusters must earn its place as a new one would. */
function withoutStrays(partition: Partition, start: WarmStart): Partition {
  const { points, previous, before, kMin, thresholds } = start
  let rest = partition
  while (rest.k > kMin) {
    const overlap = countOverlap(before, previous.clusters.length, rest.assignments, rest.k)
    const matches = matchClusters(previous.centroids, rest.centroids, overlap, thresholds)
    const sizes = sizesOf(rest.assignments, rest.k)
    const losses = lossesWithout(points, rest)
    const stray = matches.findIndex(
      (match, cluster) =>
        match === null &&
        (losses[cluster]! < thresholds.birthGain * rest.objective ||
          sizes[cluster]! < thresholds.birthShare * points.rows),
    )
    if (stray < 0) break
    rest = withoutCluster(points, rest, stray)
  }
  return rest
}

/** What the last run saw has a cluster already or was not worth one: it counts against a place as much as it would count for it if nothing were new. */
function newnessWeights({ before, thresholds }: WarmStart): (point: number) => number {
  if (!knowsOverlap(before, thresholds)) return () => 1
  const seen = before.reduce((count, cluster) => (cluster < 0 ? count : count + 1), 0)
  const against = (before.length - seen) / seen
  return (point) => (before[point]! < 0 ? 1 : -against)
}

function knowsOverlap(before: Int32Array, { leastCommonTraces }: IdentityThresholds): boolean {
  return before.reduce((count, cluster) => (cluster < 0 ? count : count + 1), 0) >= leastCommonTraces
}

function isBirth(grown: Partition, partition: Partition, start: WarmStart): boolean {
  const { before, previous, thresholds } = start
  const size = sizesOf(grown.assignments, grown.k)[grown.k - 1]!
  const gain = gainOf(grown, partition)
  if (gain < thresholds.birthGain || size < Math.max(LEAST_SIZE, thresholds.birthShare * before.length)) return false
  if (!knowsOverlap(before, thresholds)) return gain >= thresholds.birthGainRatio * previous.refusedGain
  const seen = { hits: 0, total: 0 }
  const unseen = { hits: 0, total: 0 }
  before.forEach((cluster, point) => {
    const side = cluster < 0 ? unseen : seen
    side.total++
    if (grown.assignments[point] === grown.k - 1) side.hits++
  })
  const grew = unseen.hits / unseen.total >= (1 + thresholds.shareRatio) * (seen.hits / seen.total)
  return grew && shareDifferenceZ(seen, unseen) > thresholds.shareZ
}

/** Fewer are no topic, whatever they would gain. */
const LEAST_SIZE = 5

/** Of the objective, as a share of it. */
export function gainOf(after: Partition, before: Partition): number {
  return before.objective > 0 ? after.objective / before.objective - 1 : 0
}

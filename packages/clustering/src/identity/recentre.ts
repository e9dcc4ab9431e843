import type { Partition } from '../partition/partition.ts'
import { centroidsOf, sphericalKMeans } from '../partition/spherical-k-means.ts'
import { pickRows, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { cohesionsOf, ownCosines, sizesOf } from './cosines.ts'
import { agreementOf, countOverlap, previousClusters, previousIndexes } from './overlap.ts'
import type { PreviousRun } from './previous-run.ts'
import type { IdentityThresholds } from './thresholds.ts'

/** Traces as one embedder represents them. */
export interface EmbeddedTraces {
  readonly points: Matrix
  readonly traceIds: readonly string[]
}

/**
 * The last run as another embedder represents it. Its centroids are computed again from their members and then settle,
 * so that differences between embedders are not taken for changes in the traces. Members that are not given keep their
 * cluster. A cluster gets a zero centroid, which is near nothing, when none of its members is given or too few of them
 * stay together: its id must not pass to whatever the centroid would settle on.
 */
export function recentre(
  previous: PreviousRun,
  embedded: EmbeddedTraces,
  { keptJaccard }: IdentityThresholds,
): PreviousRun {
  const indexes = previousIndexes(embedded.traceIds, previous)
  const members = indexes.filter((index) => index >= 0)
  const points = pickRows(
    embedded.points,
    Uint32Array.from(indexes.keys()).filter((row) => indexes[row]! >= 0),
  )
  const k = previous.clusters.length
  const before = previousClusters(members, previous)
  const settled = settle(points, before, k)
  const overlap = countOverlap(before, k, settled.assignments, k)
  const seen = previous.clusters.map((_, cluster) => agreementOf(overlap, cluster, cluster).jaccard >= keptJaccard)
  const assignments = previous.assignments.slice()
  settled.assignments.forEach((cluster, point) => {
    if (seen[before[point]!] && seen[cluster]) assignments[members[point]!] = cluster
  })
  seen.forEach((known, cluster) => known || rowOf(settled.centroids, cluster).fill(0))
  const sizes = sizesOf(assignments, k)
  const cohesions = cohesionsOf(settled.assignments, ownCosines(points, settled), k)
  const clusters = previous.clusters.map(({ id }, cluster) => ({
    id,
    size: sizes[cluster]!,
    cohesion: cohesions[cluster]!,
  }))
  return { ...previous, clusters, centroids: settled.centroids, assignments }
}

/** k-means of the clusters that have members here; the others keep a zero centroid. */
function settle(points: Matrix, assignments: Int32Array, k: number): Pick<Partition, 'assignments' | 'centroids'> {
  const centroids = zeroMatrix(k, points.columns)
  const present = Uint32Array.from(new Set(assignments)).sort()
  if (present.length === 0) return { assignments, centroids }
  const partition = sphericalKMeans(points, pickRows(centroidsOf(points, assignments, centroids).centroids, present))
  present.forEach((cluster, row) => rowOf(centroids, cluster).set(rowOf(partition.centroids, row)))
  return { assignments: partition.assignments.map((row) => present[row]!), centroids }
}

import type { Matrix } from './matrix.ts'
import { inOrderOfSize } from './order-clusters.ts'
import { chooseK } from './partition/choose-k.ts'
import { createRandom } from './partition/seeded-random.ts'

/** Fewer clusters are read at a glance. */
const LEAST_CLUSTERS = 12
/** Of a topic. */
const LEAST_MEAN_SIZE = 3
/** A fixed seed: the same clusters have the same topics. */
const SEED = 1

/**
 * Topics of clusters whose centroids are near one another, as indexes of the clusters, the topic with most clusters
 * first. Topics may hold one cluster only. None when there are few clusters.
 */
export function groupClusters(centroids: Matrix): readonly (readonly number[])[] {
  if (centroids.rows < LEAST_CLUSTERS) return []
  const options = { kMin: 2, kMax: centroids.rows, leastMeanSize: LEAST_MEAN_SIZE, random: createRandom(SEED) }
  const { assignments } = inOrderOfSize(chooseK(centroids, options))
  return [...Map.groupBy(assignments.keys(), (cluster) => assignments[cluster]!).values()]
}

import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { appendRows, rowsFrom, type Matrix } from '../matrix.ts'
import type { ContinuedRun } from './continued-run.ts'
import { sizesOf } from './cosines.ts'
import { findPlaces } from './grow-by-one.ts'
import { isNew, hasOverlap, newnessWeights } from './newness.ts'

/**
 * Few, because among many places one looks new by chance; more than one, because the best may also hold traces of a
 * vanished topic.
 */
const MOST_PLACES = 3
/** Fewer traces are no topic, whatever they would gain. */
const LEAST_SIZE = 5

/**
 * Finds centroids for new topics while the last run's clusters stay fixed. Centroids that may move would go to a new
 * topic themselves; then a cluster of its own would gain little, or would hold the traces they left. The new clusters
 * settle together with each further one, because the first of two topics lies between both.
 */
export function findNewClusters(run: ContinuedRun, old: Matrix): Matrix {
  const { points, random } = run
  const weightOf = newnessWeights(run)
  const settle = (centroids: Matrix): Partition => sphericalKMeans(points, centroids, { fixed: old.rows })
  // Without common traces, only the gain shows what is new. Then it must not be the gain of clusters that merely moved.
  let settled = settle(hasOverlap(run) ? old : sphericalKMeans(points, old).centroids)
  while (settled.k < old.rows + run.kMax) {
    let grown: Partition | null = null
    for (const place of findPlaces(points, settled, random, weightOf).slice(0, MOST_PLACES)) {
      grown = settle(appendRows(settled.centroids, place))
      if (mayBeAdded(grown, settled, run)) break
      grown = null
    }
    if (grown === null) break
    settled = grown
  }
  return rowsFrom(settled.centroids, old.rows)
}

function mayBeAdded(grown: Partition, partition: Partition, run: ContinuedRun): boolean {
  const { previous, thresholds } = run
  const size = sizesOf(grown.assignments, grown.k)[grown.k - 1]!
  const gain = gainOf(grown, partition)
  if (gain < thresholds.newGain || size < LEAST_SIZE) return false
  return hasOverlap(run) ? isNew(grown, grown.k - 1, run) : gain >= thresholds.refusedGainRatio * previous.refusedGain
}

/** The gain of the objective, as a share of it. */
export function gainOf(after: Pick<Partition, 'objective'>, before: Pick<Partition, 'objective'>): number {
  return before.objective > 0 ? after.objective / before.objective - 1 : 0
}

import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { assignToNearest } from '../partition/assign-to-nearest.ts'
import { evenSample } from '../partition/seeded-random.ts'
import { appendRows, pickRows, rowsFrom, type Matrix } from '../matrix.ts'
import type { ContinuedRun } from './continued-run.ts'
import { sizesOf } from './cosines.ts'
import { findPlaces } from './grow-by-one.ts'
import { hasOverlap, hasRisen, isUnseen, newnessWeights } from './newness.ts'

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
  return rowsFrom(withRisen(run, settled.centroids), old.rows)
}

function mayBeAdded(grown: Partition, partition: Partition, run: ContinuedRun): boolean {
  const { previous, thresholds } = run
  const size = sizesOf(grown.assignments, grown.k)[grown.k - 1]!
  const gain = gainOf(grown, partition)
  if (gain < thresholds.newGain || size < LEAST_SIZE) return false
  if (hasOverlap(run)) return isUnseen(grown, grown.k - 1, run)
  return gain >= thresholds.refusedGainRatio * previous.refusedGain
}

/**
 * Adds centroids for topics that have risen since an earlier run. A centroid beside such a topic has moved towards it
 * from run to run, so all of them settle again before the gain is measured.
 */
function withRisen(run: ContinuedRun, start: Matrix): Matrix {
  const { points, earlier, kMax, thresholds } = run
  if (earlier === null) return start
  const compared = withEarlier(points, earlier)
  let centroids = start
  let settled = sphericalKMeans(points, start)
  while (settled.k < start.rows + kMax) {
    const grown = risenPlaces(run, settled, compared)
      .map((place) => sphericalKMeans(points, appendRows(settled.centroids, place)))
      .find((one) => gainOf(one, settled) >= thresholds.newGain && hasRisen(one, one.k - 1, run))
    if (grown === undefined) break
    centroids = appendRows(centroids, rowsFrom(grown.centroids, grown.k - 1))
    settled = grown
  }
  return centroids
}

/** Traces of this run, then those of an earlier one. */
interface Compared {
  readonly points: Matrix
  readonly now: number
}

/** Enough to detect a topic of 3 %. */
const SAMPLE = 2000

function withEarlier(points: Matrix, earlier: Matrix): Compared {
  const sample = pickRows(points, evenSample(points.rows, SAMPLE))
  return { points: appendRows(sample, earlier), now: sample.rows }
}

/** Places where more traces are now than in the earlier run, the best first. */
function risenPlaces({ random }: ContinuedRun, { centroids }: Partition, compared: Compared): readonly Matrix[] {
  const { points, now } = compared
  const against = now / (points.rows - now)
  const { assignments } = assignToNearest(points, centroids)
  const weightOf = (point: number) => (point < now ? 1 : -against)
  return findPlaces(points, { assignments, centroids }, random, weightOf).slice(0, MOST_PLACES)
}

/** The gain of the objective, as a share of it. */
export function gainOf(after: Pick<Partition, 'objective'>, before: Pick<Partition, 'objective'>): number {
  return before.objective > 0 ? after.objective / before.objective - 1 : 0
}

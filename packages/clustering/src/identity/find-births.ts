import type { Partition } from '../partition/partition.ts'
import { sphericalKMeans } from '../partition/spherical-k-means.ts'
import { appendRows, rowsFrom, zeroMatrix, type Matrix } from '../matrix.ts'
import type { ContinuedRun } from './continued-run.ts'
import { sizesOf } from './cosines.ts'
import { findPlaces } from './grow-by-one.ts'
import { isNew, knowsOverlap, newnessWeights } from './newness.ts'
import { joinLastBirth, settleBirths, standStill } from './settle-births.ts'

/** Few, since of many places one will look new by chance; more than one, since the best may hold a vanished topic's traces, too. */
const MOST_PLACES = 3
/** Fewer are no topic, whatever they would gain. */
const LEAST_SIZE = 5

/**
 * Centroids of what is new, beside clusters that stand where the last run left them: those that may move go to a new topic themselves, after which one of its own gains
 * little, or holds what they left. The new ones settle together with each further one: the first of two topics lies between both.
 */
export function findBirths(run: ContinuedRun, old: Matrix): Matrix {
  const { points, random } = run
  // Without common traces to tell what is new by, nothing but the gain says so: then it must not be that of others which merely moved on.
  const standing = standStill(points, knowsOverlap(run) ? old : sphericalKMeans(points, old).centroids)
  const weightOf = newnessWeights(run)
  let births = zeroMatrix(0, points.columns)
  let settled = settleBirths(points, standing, births)
  for (let round = 0; round < run.kMax; round++) {
    const places = findPlaces(points, settled, random, weightOf).slice(0, MOST_PLACES)
    let grown: Partition | null = null
    for (const place of places) {
      const tried = settleBirths(points, standing, appendRows(births, place))
      if (!isBirth(tried, settled, run)) continue
      grown = tried
      break
    }
    if (grown === null) break
    // A place may hold part of a topic, and the next the rest: two that gain little more than one of both are one.
    const joined = joinLastBirth(points, standing, grown)
    settled = joined !== null && gainOf(grown, joined) < run.thresholds.birthGain ? joined : grown
    births = rowsFrom(settled.centroids, old.rows)
  }
  return births
}

function isBirth(grown: Partition, partition: Partition, run: ContinuedRun): boolean {
  const { points, previous, thresholds } = run
  const size = sizesOf(grown.assignments, grown.k)[grown.k - 1]!
  const gain = gainOf(grown, partition)
  if (gain < thresholds.birthGain || size < Math.max(LEAST_SIZE, thresholds.birthShare * points.rows)) return false
  return knowsOverlap(run) ? isNew(grown, grown.k - 1, run) : gain >= thresholds.birthGainRatio * previous.refusedGain
}

/** Of the objective, as a share of it. */
export function gainOf(after: Pick<Partition, 'objective'>, before: Pick<Partition, 'objective'>): number {
  return before.objective > 0 ? after.objective / before.objective - 1 : 0
}

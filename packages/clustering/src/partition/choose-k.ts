import { pickRows, type Matrix } from '../matrix.ts'
import type { Partition } from './partition.ts'
import { sampleIndexes } from './seeded-random.ts'
import { seedCentroids } from './seed-centroids.ts'
import { silhouette } from './silhouette.ts'
import { sphericalKMeans } from './spherical-k-means.ts'

export interface ChooseKOptions {
  readonly kMin: number
  readonly kMax: number
  readonly random: () => number
}

/** The result for one k. */
interface Tried {
  readonly partition: Partition
  readonly silhouette: number
}

/** Above this number of points, k is evaluated on a sample of this size. */
const MOST_EVALUATED_POINTS = 10_000
/** The least gain of a round while k is evaluated; the clusters of the chosen k are then iterated to convergence. */
const EVALUATION_GAIN = 1e-3
/** A range is narrowed to this many times the k chosen from it. */
const NARROWING = 2
const STARTS = 10
const LEAST_RANGE = 4
/** Of a cluster: in few points, each is unlike the others, and the scores take every small group for one. */
const LEAST_MEAN_SIZE = 6

/**
 * Chooses k by elbow and silhouette, which err in opposite directions, and clusters all points. Each score is scaled to
 * 0..1 over the range of k, then they are summed. The elbow is how far the objective lies above the chord from the
 * least k to the greatest, plotted over the root of k: further clusters gain less and less even where there is no
 * structure, so that over k itself the elbow would lie too low. Both depend on the range, so the range is narrowed
 * around the choice and the choice repeated until it is stable: a `kMax` that is far too large then does little harm.
 *
 * There are at most as many clusters as have LEAST_MEAN_SIZE points on average, or `kMin`. There are never more than
 * distinct points, and one without points is left out later: then there may be fewer than `kMin`. There is always one.
 */
export function chooseK(points: Matrix, options: ChooseKOptions): Partition {
  const evaluated =
    points.rows > MOST_EVALUATED_POINTS
      ? pickRows(points, sampleIndexes(points.rows, MOST_EVALUATED_POINTS, options.random))
      : points
  let inRange: readonly Tried[] = partitionsOf(evaluated, options).map((partition) => ({
    partition,
    silhouette: silhouette(evaluated, partition),
  }))
  for (;;) {
    const scores = scoresOf(inRange)
    const { partition: chosen } = inRange[scores.indexOf(Math.max(...scores))]!
    const greatest = Math.max(LEAST_RANGE, NARROWING * chosen.k)
    const narrowed = inRange.filter(({ partition: { k } }) => k <= greatest)
    if (narrowed.length === inRange.length) {
      return sphericalKMeans(points, bestStart(evaluated, chosen, options.random).centroids)
    }
    inRange = narrowed
  }
}

/** The best of several partitions of as many clusters: which one a single start finds depends on its draws. */
function bestStart(points: Matrix, chosen: Partition, random: () => number): Partition {
  let best = chosen
  for (let start = 1; start < STARTS; start++) {
    const tried = sphericalKMeans(points, seedCentroids(points, chosen.k, random), { leastGain: EVALUATION_GAIN })
    if (tried.k === chosen.k && tried.objective > best.objective) best = tried
  }
  return best
}

/** By k, ascending; at least one. */
function partitionsOf(points: Matrix, { kMin, kMax, random }: ChooseKOptions): Partition[] {
  const partitions: Partition[] = []
  const greatest = Math.max(kMin, Math.min(kMax, Math.floor(points.rows / LEAST_MEAN_SIZE)))
  for (let k = kMin; k <= greatest; k++) {
    const seeds = seedCentroids(points, k, random)
    // There are no more distinct points: they make one last partition, unless the k before had as many.
    if (seeds.rows < k && partitions.length > 0) break
    partitions.push(sphericalKMeans(points, seeds, { leastGain: EVALUATION_GAIN }))
    if (seeds.rows < k) break
  }
  return partitions
}

function scoresOf(tried: readonly Tried[]): number[] {
  const silhouettes = rescaled(tried.map((one) => one.silhouette))
  const elbows = rescaled(elbowsOf(tried))
  return tried.map((_, index) => silhouettes[index]! + elbows[index]!)
}

function elbowsOf(tried: readonly Tried[]): number[] {
  const objectives = rescaled(tried.map(({ partition }) => partition.objective))
  const along = rescaled(tried.map(({ partition }) => Math.sqrt(partition.k)))
  return objectives.map((value, index) => value - along[index]!)
}

/** Scales to 0..1; equal values become 0. */
function rescaled(values: readonly number[]): number[] {
  const least = Math.min(...values)
  const range = Math.max(...values) - least
  return values.map((value) => (range === 0 ? 0 : (value - least) / range))
}

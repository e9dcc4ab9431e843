import { pickRows, type Matrix } from '../matrix.ts'
import type { Partition } from './partition.ts'
import { sampleIndexes } from './seeded-random.ts'
import { seedCentroids } from './seed-centroids.ts'
import { silhouette } from './silhouette.ts'
import { sphericalKMeans } from './spherical-k-means.ts'

export interface ChooseKOptions {
  readonly kMin: number
  readonly kMax: number
  /** The k of the last run; null in the first run. */
  readonly previousK: number | null
  readonly random: () => number
}

/** The result for one k. */
interface KScore {
  readonly k: number
  readonly objective: number
  readonly silhouette: number
  /** Null for a k above the range of the final choice. */
  readonly score: number | null
}

export interface ChosenK {
  readonly k: number
  readonly partition: Partition
  /** By k, ascending. */
  readonly scores: readonly KScore[]
}

/** Above this number of points, k is evaluated on a sample of this size. */
const MOST_EVALUATED_POINTS = 10_000
/** The least gain of a round while k is evaluated; the clusters of the chosen k are then iterated to convergence. */
const EVALUATION_GAIN = 1e-3
/** Another k must score this share more than the previous one. */
const LEAST_GAIN = 0.05
/** A range is narrowed to this many times the k chosen from it. */
const NARROWING = 2
const LEAST_RANGE = 4

/**
 * Chooses k by elbow and silhouette, which err in opposite directions, and clusters all points. Each score is scaled to
 * 0..1 over the range of k, then they are summed. The elbow is how far the objective lies above the chord from the
 * least k to the greatest, plotted over the root of k: further clusters gain less and less even where there is no
 * structure, so that over k itself the elbow would lie too low. Both depend on the range, so the range is narrowed
 * around the choice and the choice repeated until it is stable: a `kMax` that is far too large then does little harm.
 *
 * The previous k stays unless another scores over 5 % more, because each change costs ids. There are never more
 * clusters than distinct points; then there may be fewer than `kMin`. There is always one.
 */
export function chooseK(points: Matrix, options: ChooseKOptions): ChosenK {
  const { previousK, random } = options
  const evaluated =
    points.rows > MOST_EVALUATED_POINTS
      ? pickRows(points, sampleIndexes(points.rows, MOST_EVALUATED_POINTS, random))
      : points
  const partitions = partitionsOf(evaluated, options)
  const tried = partitions.map((partition) => ({
    k: partition.k,
    objective: partition.objective,
    silhouette: silhouette(evaluated, partition),
  }))
  let inRange = tried
  for (;;) {
    const scores = scoresOf(inRange)
    const chosen = choose(inRange, scores, previousK)
    const greatest = Math.max(LEAST_RANGE, NARROWING * inRange[chosen]!.k, previousK ?? 0)
    const narrowed = inRange.filter(({ k }) => k <= greatest)
    if (narrowed.length === inRange.length) {
      const partition = partitions[chosen]!
      return {
        k: partition.k,
        partition: sphericalKMeans(points, partition.centroids),
        scores: tried.map((one, index) => Object.assign(one, { score: scores[index] ?? null })),
      }
    }
    inRange = narrowed
  }
}

/** By k, ascending; at least one. */
function partitionsOf(points: Matrix, { kMin, kMax, random }: ChooseKOptions): Partition[] {
  const partitions: Partition[] = []
  for (let k = kMin; k <= kMax; k++) {
    const seeds = seedCentroids(points, k, random)
    // There are no more distinct points: they make one last partition, unless the k before had as many.
    if (seeds.rows < k && partitions.length > 0) break
    partitions.push(sphericalKMeans(points, seeds, { leastGain: EVALUATION_GAIN }))
    if (seeds.rows < k) break
  }
  return partitions
}

type Tried = Omit<KScore, 'score'>

function scoresOf(tried: readonly Tried[]): number[] {
  const silhouettes = rescaled(tried.map((one) => one.silhouette))
  const elbows = rescaled(elbowsOf(tried))
  return tried.map((_, index) => silhouettes[index]! + elbows[index]!)
}

function elbowsOf(tried: readonly Tried[]): number[] {
  const objectives = rescaled(tried.map(({ objective }) => objective))
  const along = rescaled(tried.map(({ k }) => Math.sqrt(k)))
  return objectives.map((value, index) => value - along[index]!)
}

/** Scales to 0..1; equal values become 0. */
function rescaled(values: readonly number[]): number[] {
  const least = Math.min(...values)
  const range = Math.max(...values) - least
  return values.map((value) => (range === 0 ? 0 : (value - least) / range))
}

/** Index of the k to take. */
function choose(tried: readonly Tried[], scores: readonly number[], previousK: number | null): number {
  let best = 0
  scores.forEach((score, index) => {
    if (score > scores[best]!) best = index
  })
  const previous = tried.findIndex(({ k }) => k === previousK)
  return previous >= 0 && scores[best]! <= (1 + LEAST_GAIN) * scores[previous]! ? previous : best
}

import { pickRows, type Matrix } from '../matrix.ts'
import type { Partition } from './partition.ts'
import { sampleIndexes } from './seeded-random.ts'
import { seedCentroids } from './seed-centroids.ts'
import { silhouette } from './silhouette.ts'
import { sphericalKMeans } from './spherical-k-means.ts'

export interface ChooseKOptions {
  readonly kMin: number
  readonly kMax: number
  /** Of the run before; null in the first. */
  readonly previousK: number | null
  readonly random: () => number
}

/** How one k did. */
interface KScore {
  readonly k: number
  readonly objective: number
  readonly silhouette: number
  /** Null for a k above the range that the choice was last made from. */
  readonly score: number | null
}

export interface ChosenK {
  readonly k: number
  readonly partition: Partition
  /** By k, ascending. */
  readonly scores: readonly KScore[]
}

/** Above it, k is judged on a sample of this many points. */
const MOST_JUDGED_POINTS = 10_000
/** Where rounds end while k is judged; the groups of the k chosen are moved on until they stand. */
const JUDGING_GAIN = 1e-3
/** What another k must score more than the previous one, as a share. */
const LEAST_GAIN = 0.05
/** A range is narrowed to this many times the k chosen from it. */
const NARROWING = 2
const LEAST_RANGE = 4

/**
 * Chooses how many groups there are by elbow and silhouette, which err on opposite sides, and groups all points: each brought to 0..1 over the range of k, then summed.
 * The elbow is how far the objective lies above the chord from the least k to the greatest, over the root of k: further groups gain less and less also where there is
 * nothing to find, so that over k itself the elbow lies too far in front. Both depend on how far the range goes; so it is narrowed around what was chosen and the choice
 * made again, until it stands: a `kMax` far too great then does little harm.
 *
 * The previous k stays unless another scores over five percent more: what a reader knows is not cut anew for nothing. There are never more groups than different
 * points, then fewer than `kMin`; there is always one.
 */
export function chooseK(points: Matrix, options: ChooseKOptions): ChosenK {
  const { previousK, random } = options
  const judged =
    points.rows > MOST_JUDGED_POINTS ? pickRows(points, sampleIndexes(points.rows, MOST_JUDGED_POINTS, random)) : points
  const partitions = partitionsOf(judged, options)
  const tried = partitions.map((partition) => ({
    k: partition.k,
    objective: partition.objective,
    silhouette: silhouette(judged, partition),
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
    // No more different points: those that there are make one last partition, unless the k before had as many.
    if (seeds.rows < k && partitions.length > 0) break
    partitions.push(sphericalKMeans(points, seeds, { leastGain: JUDGING_GAIN }))
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

/** To 0..1; all the same to 0. */
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

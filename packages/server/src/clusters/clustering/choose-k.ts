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
export interface KScore {
  readonly k: number
  readonly objective: number
  readonly silhouette: number
  /** How far the objective lies above the straight line between those of the least and the greatest k. */
  readonly elbow: number
  /** Silhouette and elbow, each brought to 0..1 over all k, summed. */
  readonly score: number
}

export interface ChosenK {
  readonly k: number
  readonly partition: Partition
  /** By k, ascending. */
  readonly scores: readonly KScore[]
}

/** Above it, k is judged on a sample of this many points. */
export const MOST_JUDGED_POINTS = 10_000
/** What another k must score more than the previous one, as a share. */
const LEAST_GAIN = 0.05

/**
 * Chooses how many groups there are by the sum of elbow and silhouette, which err on opposite sides, and groups all points. The previous k stays unless another
 * scores over five percent more: what a reader knows is not cut anew for nothing. There are never more groups than different points, then fewer than `kMin`, and at least one.
 */
export function chooseK(points: Matrix, { kMin, kMax, previousK, random }: ChooseKOptions): ChosenK {
  const judged =
    points.rows > MOST_JUDGED_POINTS ? pickRows(points, sampleIndexes(points.rows, MOST_JUDGED_POINTS, random)) : points
  const seeds = seedCentroids(judged, Math.max(1, Math.min(kMax, judged.rows)), random)
  const greatest = seeds.rows
  const partitions: Partition[] = []
  for (let k = Math.min(kMin, greatest); k <= greatest; k++) {
    const start = { rows: k, columns: seeds.columns, values: seeds.values.slice(0, k * seeds.columns) }
    partitions.push(sphericalKMeans(judged, start))
  }
  const scores = scoresOf(judged, partitions)
  const chosen = choose(scores, previousK)
  const partition = partitions[chosen]!
  return {
    k: partition.k,
    partition: judged === points ? partition : sphericalKMeans(points, partition.centroids),
    scores,
  }
}

function scoresOf(points: Matrix, partitions: readonly Partition[]): KScore[] {
  const silhouettes = partitions.map((partition) => silhouette(points, partition))
  const elbows = elbowsOf(partitions)
  const [fromSilhouette, fromElbow] = [rescaled(silhouettes), rescaled(elbows)]
  return partitions.map(({ k, objective }, index) => ({
    k,
    objective,
    silhouette: silhouettes[index]!,
    elbow: elbows[index]!,
    score: fromSilhouette[index]! + fromElbow[index]!,
  }))
}

function elbowsOf(partitions: readonly Partition[]): number[] {
  const objectives = rescaled(partitions.map(({ objective }) => objective))
  return objectives.map((value, index) => value - index / Math.max(1, objectives.length - 1))
}

/** To 0..1; all the same to 0. */
function rescaled(values: readonly number[]): number[] {
  const least = Math.min(...values)
  const range = Math.max(...values) - least
  return values.map((value) => (range === 0 ? 0 : (value - least) / range))
}

function choose(scores: readonly KScore[], previousK: number | null): number {
  let best = 0
  scores.forEach(({ score }, index) => {
    if (score > scores[best]!.score) best = index
  })
  const previous = scores.findIndex(({ k }) => k === previousK)
  return previous >= 0 && scores[best]!.score <= (1 + LEAST_GAIN) * scores[previous]!.score ? previous : best
}

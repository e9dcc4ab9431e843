import type { Partition } from '../partition/partition.ts'
import type { Matrix } from '../matrix.ts'
import { cohesionsOf, ownCosines, sizesOf } from './cosines.ts'
import type { PreviousRun } from './previous-run.ts'

/** Centroids, and how precisely their traces determine them. */
export interface SampledCentroids {
  /** Unit rows. */
  readonly centroids: Matrix
  /** For each row, the expected cosine between it and the true centre of its topic, from 0 to 1. */
  readonly precisions: Float64Array
}

export function sampledCentroids(points: Matrix, partition: Partition): SampledCentroids {
  const { assignments, centroids, k } = partition
  const sizes = sizesOf(assignments, k)
  const cohesions = cohesionsOf(assignments, ownCosines(points, partition), k)
  return { centroids, precisions: cohesions.map((cohesion, cluster) => precisionOf(sizes[cluster]!, cohesion)) }
}

export function formerCentroids({ centroids, clusters }: PreviousRun): SampledCentroids {
  return { centroids, precisions: Float64Array.from(clusters, ({ size, cohesion }) => precisionOf(size, cohesion)) }
}

/**
 * For `size` independent unit vectors whose true mean has length c, the length R of their mean (their cohesion)
 * satisfies R² = c² + (1 - c²) / size in expectation. The sample mean then has the cosine c / R to the true direction,
 * and two sample means have the product of theirs.
 */
function precisionOf(size: number, cohesion: number): number {
  const square = cohesion ** 2
  if (size < 2 || square === 0) return 0
  const own = (size * square - 1) / (size - 1)
  return Math.sqrt(Math.min(1, Math.max(0, own / square)))
}

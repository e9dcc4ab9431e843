import type { Matrix } from '../matrix.ts'
import type { MapFrame } from '../map/map-frame.ts'

/** The data of the last run that a run needs. */
export interface PreviousRun {
  /** Version of the basis or endpoint that made the points: vectors of another one cannot be compared. */
  readonly embedderVersion: string
  readonly clusters: readonly PreviousCluster[]
  /** Unit rows, in the order of `clusters`. */
  readonly centroids: Matrix
  readonly traceIds: readonly string[]
  /** For each of `traceIds` the index of its cluster. */
  readonly assignments: Int32Array
  /** The gain of one more cluster, as a share of the objective, when the number of clusters was last determined. */
  readonly refusedGain: number
  /** The range that the number of clusters was chosen from. */
  readonly kMin: number
  readonly kMax: number
  readonly map: MapFrame
}

interface PreviousCluster {
  readonly id: string
  readonly size: number
  /** Mean cosine of its traces to its centroid. */
  readonly cohesion: number
}

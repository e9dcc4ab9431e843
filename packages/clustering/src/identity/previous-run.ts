import type { Matrix } from '../matrix.ts'
import type { MapFrame } from '../map/map-frame.ts'

/** Of the last run what the next one builds on. */
export interface PreviousRun {
  /** Of the basis or endpoint that made the points: vectors of another one cannot be compared. */
  readonly embedderVersion: string
  readonly clusters: readonly PreviousCluster[]
  /** Unit rows, in the order of `clusters`. */
  readonly centroids: Matrix
  readonly traceIds: readonly string[]
  /** For each of `traceIds` the index of its cluster. */
  readonly assignments: Int32Array
  /** What one more cluster would have gained, as a share of the objective, when the number of clusters was last settled. */
  readonly refusedGain: number
  readonly choice: ClusterCountChoice
  readonly map: MapFrame
}

/** What the number of clusters was last chosen from. */
export interface ClusterCountChoice {
  readonly kMin: number
  readonly kMax: number
  readonly traceCount: number
}

interface PreviousCluster {
  readonly id: string
  readonly size: number
  /** Mean cosine of its traces to its centroid. */
  readonly cohesion: number
}

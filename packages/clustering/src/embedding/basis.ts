import type { FeatureKind } from '../text/features.ts'

/**
 * How a project's traces are embedded: which features count, their weights, and the directions that vectors are made
 * of. Fitted once on a sample and then frozen: only vectors of one basis can be compared.
 */
export interface Basis {
  /** Version of the code that fitted it. */
  readonly embedderVersion: string
  /** Traces it was fitted on. */
  readonly sampleSize: number
  /** Number of directions. A vector has one column more, see `project`. */
  readonly rank: number
  /** From this share of unknown words on a trace is unfamiliar, see `isUnfamiliar`. */
  readonly unknownWords: number
  readonly features: Readonly<Record<FeatureKind, BasisFeatures>>
}

/** The features of one kind that count, ascending by bucket. */
export interface BasisFeatures {
  readonly buckets: Uint16Array
  /** Inverse document frequency in the sample. */
  readonly weights: Float32Array
  /**
   * `rank` numbers for each feature, its part in each direction: `loadings × scale`. Eight bits are far more precise
   * than what a sample determines.
   */
  readonly loadings: Int8Array
  readonly scales: Float32Array
}

/** Changes with anything that changes the vector of a trace: words, hashes, weights, the layout of features. */
export const EMBEDDER_VERSION = 'builtin-2'

/** Weight of each kind: the length of its part of a trace before the whole is scaled to unit length. */
export const KIND_WEIGHTS: Readonly<Record<FeatureKind, number>> = { words: 1, grams: 0.4, steps: 0.25 }

/** Inverse document frequency of a feature that `traces` of a sample have … */
export function idfOf(traces: number, sampleSize: number): number {
  return Math.log((1 + sampleSize) / (1 + traces)) + 1
}

/** … and back. */
export function tracesWith(idf: number, sampleSize: number): number {
  return Math.round((1 + sampleSize) / Math.exp(idf - 1) - 1)
}

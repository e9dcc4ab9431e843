import type { FeatureKind } from '../text/features.ts'

/**
 * What a project's traces are embedded by: which features count, for how much, and the directions they are seen along. Fitted once on a sample and then frozen:
 * vectors can be compared only when one basis made them.
 */
export interface Basis {
  /** Of the code that fitted it. */
  readonly embedderVersion: string
  /** Traces it was fitted on. */
  readonly sampleSize: number
  /** Directions. A vector has one column more, see `project`. */
  readonly rank: number
  /** The share of unknown words from which on a trace is strange to it: see `isUnfamiliar`. */
  readonly unknownWords: number
  readonly features: Readonly<Record<FeatureKind, BasisFeatures>>
}

/** The features of one kind that count: bucket by bucket, ascending. */
export interface BasisFeatures {
  readonly buckets: Uint16Array
  /** Inverse document frequency in the sample. */
  readonly weights: Float32Array
  /** `rank` numbers for each feature, its part in each direction: `loadings × scale`, to eight bits, which is far finer than what a sample can tell. */
  readonly loadings: Int8Array
  readonly scales: Float32Array
}

/** Changes with anything that makes another vector of the same trace: words, hashes, weights, the layout of features. */
export const EMBEDDER_VERSION = 'builtin-1'

/** How much each kind counts: the length of its part of a trace before all is brought to unit length. */
export const KIND_WEIGHTS: Readonly<Record<FeatureKind, number>> = { words: 1, grams: 0.4, steps: 0.25 }

/** Inverse document frequency of a feature that `traces` of a sample have … */
export function idfOf(traces: number, sampleSize: number): number {
  return Math.log((1 + sampleSize) / (1 + traces)) + 1
}

/** … and back. */
export function tracesWith(idf: number, sampleSize: number): number {
  return Math.round((1 + sampleSize) / Math.exp(idf - 1) - 1)
}

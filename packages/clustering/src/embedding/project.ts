import { addWeightedRows, normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import type { Basis } from './basis.ts'
import { FEATURE_BUCKETS, FEATURE_KINDS, type FeatureKind, type Features } from '../text/features.ts'
import { weighFeatures } from '../text/weigh-features.ts'

/** Columns of a basis' vectors: its directions, and one for traces without a known feature. */
export function dimensionsOf(basis: Basis): number {
  return basis.rank + 1
}

/**
 * Vectors of traces, one unit row each. A trace without a known feature (no text, or none in common with others) gets
 * the last direction, which no other trace uses: such traces are alike and unlike all others, instead of zero vectors
 * that are near nothing.
 */
export function projectAll(basis: Basis, count: number, featuresAt: (index: number) => Features): Matrix {
  const matrix = zeroMatrix(count, dimensionsOf(basis))
  const project = projectorOf(basis)
  for (let index = 0; index < count; index++) project(featuresAt(index), rowOf(matrix, index))
  return matrix
}

/** Returns a function that writes the vector of a trace into a row of zeros. It holds a megabyte. */
export function projectorOf(basis: Basis): (features: Features, row: Float32Array) => void {
  const { rank, features: known } = basis
  const concatenated = <T extends Float32Array | Int8Array>(target: T, of: (kind: FeatureKind) => T): T => {
    let at = 0
    for (const kind of FEATURE_KINDS) {
      target.set(of(kind), at)
      at += of(kind).length
    }
    return target
  }
  let count = 0
  const lookUp = (kind: FeatureKind): Int32Array => {
    const columns = new Int32Array(FEATURE_BUCKETS).fill(-1)
    for (const bucket of known[kind].buckets) columns[bucket] = count++
    return columns
  }
  const columns = { words: lookUp('words'), grams: lookUp('grams'), steps: lookUp('steps') }
  const idf = concatenated(new Float32Array(count), (kind) => known[kind].weights)
  const scales = concatenated(new Float32Array(count), (kind) => known[kind].scales)
  const loadings = concatenated(new Int8Array(count * rank), (kind) => known[kind].loadings)
  const sums = new Float64Array(rank)
  const starts: number[] = []
  const weights: number[] = []
  return (features, row) => {
    starts.length = weights.length = 0
    weighFeatures(features, { columns, idf }, (column, weight) => {
      starts.push(column * rank)
      weights.push(weight * scales[column]!)
    })
    addWeightedRows(loadings, starts, weights, sums)
    row.set(sums)
    if (sums.every((sum) => Math.abs(sum) < NOTHING)) {
      row.fill(0)
      row[rank] = 1
    }
    normaliseRow(row)
  }
}

/** Smaller parts are rounding errors of zero. */
const NOTHING = 1e-6

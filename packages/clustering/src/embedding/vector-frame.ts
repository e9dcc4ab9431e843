import { sampleIndexes } from '../partition/seeded-random.ts'
import { addWeightedRows, normaliseRow, rowOf, zeroMatrix } from '../matrix.ts'
import { allEntries, truncatedSvd } from './truncated-svd.ts'

/**
 * How the vectors of an endpoint are transformed for a project: centred on their mean, and long ones reduced to fewer
 * directions. Fitted on a sample and then frozen, as a basis is.
 *
 * Models put all texts of one kind close together, so that any two of a project have a cosine of 0.7 or 0.8. Centred on
 * their mean, unrelated texts have a cosine of 0, as in the built-in embedding, so the thresholds of identity apply to
 * both.
 */
export interface VectorFrame {
  readonly source: string
  /** Numbers in a vector; 0 when no trace of the sample had a text. */
  readonly dimension: number
  /** Traces it was fitted on. */
  readonly sampleSize: number
  readonly mean: Float32Array
  /** `rank` numbers for each number of a vector: its part in each direction. Null when vectors are not reduced. */
  readonly directions: { readonly rank: number; readonly values: Float32Array } | null
}

/**
 * Longer vectors are reduced once there are enough traces to find directions: 100,000 whole vectors of 1,536 numbers
 * would take 600 MB.
 */
const LONGEST_WHOLE = 256
const REDUCED_FROM = 1000
/**
 * As many as the built-in embedding has, so that clustering costs the same. With 1,536 numbers a vector, finding them
 * takes about 8 s of a core, reducing 100,000 vectors half a minute.
 */
const RANK = 128
/** Numbers that directions are found from; they determine the time. */
const MOST_NUMBERS = 3_000_000

/** Fits a frame on vectors of one length. `sampleSize` includes traces without a text. */
export function fitFrame(
  source: string,
  sampleSize: number,
  vectors: readonly Float32Array[],
  random: () => number,
): VectorFrame {
  const dimension = vectors[0]?.length ?? 0
  const sums = new Float64Array(dimension)
  for (const vector of vectors) vector.forEach((value, index) => (sums[index]! += value))
  const mean = Float32Array.from(sums, (sum) => sum / vectors.length)
  const isReduced = dimension > LONGEST_WHOLE && vectors.length >= REDUCED_FROM
  return { source, dimension, sampleSize, mean, directions: isReduced ? findDirections(vectors, mean, random) : null }
}

function findDirections(
  vectors: readonly Float32Array[],
  mean: Float32Array,
  random: () => number,
): VectorFrame['directions'] {
  const sample = sampleIndexes(vectors.length, Math.floor(MOST_NUMBERS / mean.length), random)
  const matrix = zeroMatrix(sample.length, mean.length)
  sample.forEach((index, row) => {
    const centred = rowOf(matrix, row)
    centred.set(vectors[index]!.map((value, at) => value - mean[at]!))
    normaliseRow(centred)
  })
  const { rank, directions } = truncatedSvd(allEntries(matrix), RANK, random)
  return rank === 0 ? null : { rank, values: directions }
}

/** Columns of a frame's rows: its directions, and one for traces without a known part. */
export function columnsOf({ dimension, directions }: VectorFrame): number {
  return (directions?.rank ?? dimension) + 1
}

/**
 * Returns a function that writes a vector, or null for a trace without a text, into a row of zeros as a unit vector. A
 * vector without a part in any direction gets the last one, as in `projectorOf`: such traces are alike and unlike all
 * others.
 */
export function framedRows({
  mean,
  directions,
  ...frame
}: VectorFrame): (vector: Float32Array | null, row: Float32Array) => void {
  const last = columnsOf({ mean, directions, ...frame }) - 1
  const centred = new Float64Array(mean.length)
  const starts = Uint32Array.from(mean, (_, index) => index * last)
  const sums = new Float64Array(last)
  return (vector, row) => {
    if (vector !== null) {
      for (let index = 0; index < centred.length; index++) centred[index] = vector[index]! - mean[index]!
      if (directions === null) row.set(centred)
      else {
        addWeightedRows(directions.values, starts, centred, sums)
        row.set(sums)
      }
    }
    if (row.every((value) => Math.abs(value) < NOTHING)) {
      row.fill(0)
      row[last] = 1
    }
    normaliseRow(row)
  }
}

/** Smaller values are rounding errors of zero after storage in eight bits. */
const NOTHING = 1e-5

import { sampleIndexes } from '../partition/seeded-random.ts'
import { EMBEDDER_VERSION, type Basis, type BasisFeatures } from './basis.ts'
import { chooseColumns, type ChosenColumns } from '../text/feature-columns.ts'
import { unknownWordsOf } from '../text/familiarity.ts'
import { FEATURE_KINDS, type FeatureKind, type Features } from '../text/features.ts'
import { truncatedSvd, type SparseMatrix } from './truncated-svd.ts'
import { weighFeatures } from '../text/weigh-features.ts'

/** More traces hardly improve the directions and cost more time. */
export const MOST_SAMPLED_TRACES = 4000
/** Features of the whole sample, which determine the time: long traces are sampled more thinly. */
const MOST_ENTRIES = 3_000_000

export interface FitOptions {
  /** Most directions. */
  readonly rank: number
  readonly random: () => number
}

/**
 * Fits a basis on a sample of traces in a fixed order. Few traces have few directions (`rankFor`). Of more than
 * MOST_SAMPLED_TRACES, or of very long ones, a part is drawn. A sample without anything in common gives a basis of rank
 * 0.
 */
export function fitBasis(given: readonly Features[], { rank, random }: FitOptions): Basis {
  const sample = withinCost(given, random)
  const columns = chooseColumns(sample)
  const matrix = weightedMatrix(sample, columns)
  const svd = truncatedSvd(matrix, Math.min(rank, rankFor(sample.length)), random)
  let from = 0
  const part = (kind: FeatureKind): BasisFeatures => {
    const buckets = columns.buckets[kind]
    const to = from + buckets.length
    const weights = columns.idf.slice(from, to)
    const quantised = quantise(svd.directions.subarray(from * svd.rank, to * svd.rank), svd.rank)
    from = to
    return { buckets, weights, ...quantised }
  }
  const [words, grams, steps] = [part('words'), part('grams'), part('steps')]
  return {
    embedderVersion: EMBEDDER_VERSION,
    sampleSize: sample.length,
    rank: svd.rank,
    unknownWords: unknownWordsOf(sample, words.buckets),
    features: { words, grams, steps },
  }
}

function withinCost(given: readonly Features[], random: () => number): readonly Features[] {
  let entries = 0
  for (const features of given) for (const kind of FEATURE_KINDS) entries += features[kind].buckets.length
  const share = Math.min(1, MOST_SAMPLED_TRACES / given.length, MOST_ENTRIES / entries)
  if (share === 1) return given
  return Array.from(sampleIndexes(given.length, Math.ceil(share * given.length), random), (index) => given[index]!)
}

/**
 * Further directions only show what single traces contain, and blur what clusters have in common. There are at least as
 * many as there can be clusters of so few traces.
 */
function rankFor(sampleSize: number): number {
  return Math.max(LEAST_RANK, Math.ceil(RANK_PER_TRACE * sampleSize))
}

const LEAST_RANK = 16
const RANK_PER_TRACE = 0.15

function weightedMatrix(sample: readonly Features[], columns: ChosenColumns): SparseMatrix {
  const starts = new Uint32Array(sample.length + 1)
  let entries = 0
  sample.forEach((features, row) => {
    for (const kind of FEATURE_KINDS) {
      for (const bucket of features[kind].buckets) if (columns.columns[kind][bucket]! >= 0) entries++
    }
    starts[row + 1] = entries
  })
  const indexes = new Uint32Array(entries)
  const values = new Float32Array(entries)
  let at = 0
  for (const features of sample) {
    weighFeatures(features, columns, (column, weight) => {
      indexes[at] = column
      values[at++] = weight
    })
  }
  return { rows: sample.length, columns: columns.idf.length, starts, indexes, values }
}

function quantise(directions: Float32Array, rank: number): { loadings: Int8Array; scales: Float32Array } {
  const loadings = new Int8Array(directions.length)
  const scales = new Float32Array(rank === 0 ? 0 : directions.length / rank)
  for (let row = 0; row < scales.length; row++) {
    const values = directions.subarray(row * rank, (row + 1) * rank)
    let greatest = 0
    for (const value of values) greatest = Math.max(greatest, Math.abs(value))
    if (greatest === 0) continue
    scales[row] = greatest / 127
    values.forEach((value, index) => (loadings[row * rank + index] = Math.round((127 * value) / greatest)))
  }
  return { loadings, scales }
}

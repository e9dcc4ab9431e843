import { KIND_WEIGHTS } from '../embedding/basis.ts'
import { FEATURE_KINDS, type FeatureKind, type Features } from './features.ts'

/** The column of each feature by bucket, -1 for none, and the inverse document frequency by column. */
export interface FeatureColumns {
  readonly columns: Readonly<Record<FeatureKind, Int32Array>>
  readonly idf: Float32Array
}

/**
 * Visits the features that count with their weight: sublinear term frequency times inverse document frequency. Each
 * kind is scaled to the length of its weight, so that many n-grams do not outweigh few words.
 */
export function weighFeatures(
  features: Features,
  { columns, idf }: FeatureColumns,
  visit: (column: number, weight: number) => void,
): void {
  for (const kind of FEATURE_KINDS) {
    const { buckets, counts } = features[kind]
    const columnOf = columns[kind]
    let squares = 0
    for (let index = 0; index < buckets.length; index++) {
      const column = columnOf[buckets[index]!]!
      if (column >= 0) squares += (idf[column]! * dampened(counts[index]!)) ** 2
    }
    const scale = squares === 0 ? 0 : KIND_WEIGHTS[kind] / Math.sqrt(squares)
    for (let index = 0; index < buckets.length; index++) {
      const column = columnOf[buckets[index]!]!
      if (column >= 0) visit(column, scale * idf[column]! * dampened(counts[index]!))
    }
  }
}

const dampened = (count: number): number => (count === 1 ? 1 : 1 + Math.log(count))

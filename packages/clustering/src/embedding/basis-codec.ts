import { FEATURE_KINDS } from '../text/features.ts'
import { EMBEDDER_VERSION, type Basis, type BasisFeatures } from './basis.ts'
import { packArrays, unpackArrays } from './stored-arrays.ts'

export function encodeBasis({ features, ...header }: Basis): Uint8Array {
  const arrays = FEATURE_KINDS.flatMap((kind) => {
    const { buckets, weights, scales, loadings } = features[kind]
    return [buckets, weights, scales, loadings]
  })
  return packArrays(header, arrays)
}

/** Returns null when the bytes are of another version of the embedder or of an endpoint; the basis is fitted again. */
export function decodeBasis(stored: Uint8Array): Basis | null {
  const read = unpackArrays(stored)
  if (read === null) return null
  const { embedderVersion, sampleSize, rank, unknownWords } = read.header as Omit<Basis, 'features'>
  if (embedderVersion !== EMBEDDER_VERSION) return null
  const [words, grams, steps] = FEATURE_KINDS.map((_, kind): BasisFeatures => {
    const [buckets, weights, scales, loadings] = read.arrays.slice(4 * kind)
    return {
      buckets: new Uint16Array(buckets!),
      weights: new Float32Array(weights!),
      scales: new Float32Array(scales!),
      loadings: new Int8Array(loadings!),
    }
  }) as [BasisFeatures, BasisFeatures, BasisFeatures]
  return { embedderVersion, sampleSize, rank, unknownWords, features: { words, grams, steps } }
}

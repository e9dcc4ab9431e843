import { packArrays, unpackArrays } from './stored-arrays.ts'
import type { VectorFrame } from './vector-frame.ts'

export function encodeFrame({ mean, directions, ...header }: VectorFrame): Uint8Array {
  return packArrays({ ...header, rank: directions?.rank ?? 0 }, [mean, directions?.values ?? new Float32Array()])
}

/** Returns null when the bytes are of the built-in embedding. */
export function decodeFrame(stored: Uint8Array): VectorFrame | null {
  const read = unpackArrays(stored)
  if (read === null) return null
  const { source, dimension, sampleSize, rank } = read.header as Partial<VectorFrame> & { readonly rank: number }
  if (source === undefined) return null
  const [mean, values] = read.arrays.map((numbers) => new Float32Array(numbers))
  const directions = rank === 0 ? null : { rank, values: values! }
  return { source, dimension: dimension!, sampleSize: sampleSize!, mean: mean!, directions }
}

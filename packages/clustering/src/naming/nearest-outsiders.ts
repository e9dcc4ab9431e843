import { dot } from '../identity/cosines.ts'
import { rowOf, type Matrix } from '../matrix.ts'

/**
 * The points of other clusters nearest to the centroid, nearest first: a name must not fit them. `count` is at least 1.
 */
export function nearestOutsiders(
  points: Matrix,
  assignments: Int32Array,
  centroid: Float32Array,
  cluster: number,
  count: number,
): readonly number[] {
  const nearest: { readonly point: number; readonly cosine: number }[] = []
  assignments.forEach((other, point) => {
    if (other === cluster) return
    const cosine = dot(rowOf(points, point), centroid)
    if (nearest.length === count && cosine <= nearest.at(-1)!.cosine) return
    const place = nearest.findIndex((one) => one.cosine < cosine)
    nearest.splice(place < 0 ? nearest.length : place, 0, { point, cosine })
    if (nearest.length > count) nearest.pop()
  })
  return nearest.map(({ point }) => point)
}

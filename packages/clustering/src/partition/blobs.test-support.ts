import { normaliseRow, rowOf, zeroMatrix, type Matrix } from '../matrix.ts'
import { createRandom } from './seeded-random.ts'

/** Unit points around `count` directions, point i around direction i % count; with a `spread` of 0 on them. */
export function blobs(count: number, rows: number, spread: number, seed = 1, columns = 24): Matrix {
  const random = createRandom(seed)
  const middles = zeroMatrix(count, columns)
  middles.values.forEach((_, index) => (middles.values[index] = random() - 0.5))
  const points = zeroMatrix(rows, columns)
  for (let row = 0; row < rows; row++) {
    const point = rowOf(points, row)
    rowOf(middles, row % count).forEach((value, index) => (point[index] = value + spread * (random() - 0.5)))
    normaliseRow(point)
  }
  return points
}

import type { Matrix } from '../matrix.ts'

/** The nearest centroid of each point, and the cosine to it. */
export interface Assignment {
  readonly assignments: Int32Array
  readonly cosines: Float32Array
}

/** Of equally near centroids the first counts. */
export function assignToNearest(points: Matrix, centroids: Matrix): Assignment {
  const result = { assignments: new Int32Array(points.rows), cosines: new Float32Array(points.rows) }
  const { columns, values } = points
  const k = centroids.rows
  // As doubles and four centroids at a time: each number of a point is read and converted once for four centroids.
  const padded = (k + 3) & ~3
  const wide = new Float64Array(padded * columns)
  for (let cluster = 0; cluster < k; cluster++) {
    for (let index = 0; index < columns; index++) {
      wide[(cluster & ~3) * columns + index * 4 + (cluster & 3)] = centroids.values[cluster * columns + index]!
    }
  }
  for (let point = 0; point < points.rows; point++) {
    const from = point * columns
    let nearest = 0
    let greatest = -Infinity
    for (let block = 0; block < k; block += 4) {
      let at = block * columns
      let first = 0
      let second = 0
      let third = 0
      let fourth = 0
      for (let index = from; index < from + columns; index++) {
        const value = values[index]!
        first += value * wide[at]!
        second += value * wide[at + 1]!
        third += value * wide[at + 2]!
        fourth += value * wide[at + 3]!
        at += 4
      }
      if (first > greatest) {
        greatest = first
        nearest = block
      }
      if (block + 1 < k && second > greatest) {
        greatest = second
        nearest = block + 1
      }
      if (block + 2 < k && third > greatest) {
        greatest = third
        nearest = block + 2
      }
      if (block + 3 < k && fourth > greatest) {
        greatest = fourth
        nearest = block + 3
      }
    }
    result.assignments[point] = nearest
    result.cosines[point] = greatest
  }
  return result
}

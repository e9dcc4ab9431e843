import { createRandom } from '../partition/seeded-random.ts'
import { allEntries, truncatedSvd } from '../embedding/truncated-svd.ts'
import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'

/**
 * The two orthogonal unit directions along which the rows have the greatest sum of squares; rows of zeros where there
 * are none.
 */
export function principalDirections(rows: Matrix): Matrix {
  const { columns } = rows
  const svd = truncatedSvd(allEntries(rows), 2, createRandom(1))
  const directions = zeroMatrix(2, columns)
  for (let direction = 0; direction < svd.rank; direction++) {
    const row = rowOf(directions, direction)
    for (let index = 0; index < columns; index++) row[index] = svd.directions[index * svd.rank + direction]!
  }
  return directions
}

/** The component of each row along each direction, row by row. */
export function partsAlong(rows: Matrix, directions: Matrix): Float64Array {
  const parts = new Float64Array(rows.rows * directions.rows)
  for (let row = 0; row < rows.rows; row++) {
    const values = rowOf(rows, row)
    for (let direction = 0; direction < directions.rows; direction++) {
      const unit = rowOf(directions, direction)
      let sum = 0
      for (let index = 0; index < values.length; index++) sum += values[index]! * unit[index]!
      parts[row * directions.rows + direction] = sum
    }
  }
  return parts
}

/** Rows one after the other. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

export function zeroMatrix(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float32Array(rows * columns) }
}

/** A view, not a copy. */
export function rowOf(matrix: Matrix, row: number): Float32Array {
  return matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns)
}

/** A copy of those rows, in that order. */
export function pickRows(matrix: Matrix, rows: Uint32Array): Matrix {
  const picked = zeroMatrix(rows.length, matrix.columns)
  rows.forEach((row, index) => picked.values.set(rowOf(matrix, row), index * matrix.columns))
  return picked
}

/** To unit length, in place; a row of zeros stays one. */
export function normaliseRow(row: Float32Array): void {
  let squares = 0
  for (const value of row) squares += value * value
  if (squares === 0) return
  const scale = 1 / Math.sqrt(squares)
  for (let index = 0; index < row.length; index++) row[index]! *= scale
}

export function isZero(row: Float32Array): boolean {
  return row.every((value) => value === 0)
}

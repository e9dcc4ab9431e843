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

/** A copy of the rows with these indexes, in that order. */
export function pickRows(matrix: Matrix, rows: Uint32Array): Matrix {
  const picked = zeroMatrix(rows.length, matrix.columns)
  rows.forEach((row, index) => picked.values.set(rowOf(matrix, row), index * matrix.columns))
  return picked
}

/** Scales to unit length in place; a row of zeros stays zero. */
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

/**
 * Dot product with as many doubles from `at` on. It sums in four accumulators, because each addition would otherwise
 * wait for the one before it. The order is fixed, so the result is too.
 */
export function dotProduct(row: Float32Array, other: Float64Array, at: number): number {
  const whole = row.length & ~3
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let index = 0; index < whole; index += 4) {
    first += row[index]! * other[at + index]!
    second += row[index + 1]! * other[at + index + 1]!
    third += row[index + 2]! * other[at + index + 2]!
    fourth += row[index + 3]! * other[at + index + 3]!
  }
  for (let index = whole; index < row.length; index++) first += row[index]! * other[at + index]!
  return first + second + (third + fourth)
}

/** The sum of the rows of each of `count` groups, one after the other. */
export function sumsOf({ rows, columns, values }: Matrix, groups: Int32Array, count: number): Float64Array {
  const sums = new Float64Array(count * columns)
  for (let row = 0; row < rows; row++) {
    const from = row * columns
    const to = groups[row]! * columns
    for (let index = 0; index < columns; index++) sums[to + index]! += values[from + index]!
  }
  return sums
}

/**
 * Replaces `sums` by the weighted sum of the rows of numbers that begin at `starts`, four at a time: each sum is then
 * read and written once for four rows.
 */
export function addWeightedRows(
  numbers: Int8Array | Float32Array,
  starts: ArrayLike<number>,
  weights: ArrayLike<number>,
  sums: Float64Array,
): void {
  sums.fill(0)
  for (let at = 0; at < starts.length; at += 4) {
    // Missing rows of the last four are the first row with weight 0.
    const [first, second, third, fourth] = [starts[at]!, starts[at + 1] ?? 0, starts[at + 2] ?? 0, starts[at + 3] ?? 0]
    const [a, b, c, d] = [weights[at]!, weights[at + 1] ?? 0, weights[at + 2] ?? 0, weights[at + 3] ?? 0]
    for (let index = 0; index < sums.length; index++) {
      sums[index]! +=
        a * numbers[first + index]! +
        b * numbers[second + index]! +
        c * numbers[third + index]! +
        d * numbers[fourth + index]!
    }
  }
}

export function appendRows(first: Matrix, second: Matrix): Matrix {
  const all = zeroMatrix(first.rows + second.rows, first.columns)
  all.values.set(first.values)
  all.values.set(second.values, first.values.length)
  return all
}

/** A view of the rows from this one on. */
export function rowsFrom({ rows, columns, values }: Matrix, first: number): Matrix {
  return { rows: rows - first, columns, values: values.subarray(first * columns) }
}

import { symmetricEigen } from './symmetric-eigen.ts'

/** Rows of which most entries are zero: those of row r are at `starts[r]` to `starts[r + 1]`. */
export interface SparseMatrix {
  readonly rows: number
  readonly columns: number
  readonly starts: Uint32Array
  readonly indexes: Uint32Array
  readonly values: Float32Array
}

export interface Svd {
  /** How many were found: `rank`, or fewer where the matrix has no more. */
  readonly rank: number
  /** Greatest first. */
  readonly singularValues: Float64Array
  /** Right singular vectors as columns: one row of `rank` numbers for each column of the matrix. */
  readonly directions: Float32Array
}

/**
 * The greatest singular values and their right vectors, by the randomized method of Halko, Martinsson and Tropp (SIAM Review 2011): the matrix applied to random
 * vectors spans nearly the space of its greatest directions; two power iterations sharpen it. Exact where the matrix is smaller than `rank`.
 */
export function truncatedSvd(matrix: SparseMatrix, rank: number, random: () => number): Svd {
  const width = Math.min(rank + OVERSAMPLING, matrix.rows, matrix.columns)
  const signs = Float32Array.from({ length: matrix.columns * width }, () => (random() < 0.5 ? -1 : 1))
  let range = orthonormalised({ values: multiply(matrix, signs, width), width })
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    const back = multiplyTransposed(matrix, range.values, range.width)
    range = orthonormalised({ values: multiply(matrix, back, range.width), width: range.width })
  }
  const projected = { values: multiplyTransposed(matrix, range.values, range.width), width: range.width }
  const { values, width: found, lengths } = orthonormalised(projected)
  const kept = Math.min(rank, found)
  const directions = keepColumns(values, found, kept)
  alignSigns(directions, kept)
  return { rank: kept, singularValues: lengths.slice(0, kept), directions }
}

const OVERSAMPLING = 10
const POWER_ITERATIONS = 2
/** Squares of lengths below this share of the greatest are rounding. */
const NEGLIGIBLE = 1e-11

interface Columns {
  readonly values: Float32Array
  readonly width: number
}

/** Orthonormal columns spanning the same space, by the eigenvectors of the Gram matrix: the longest direction first, those without length left out. */
function orthonormalised({ values, width }: Columns): Columns & { readonly lengths: Float64Array } {
  const { values: squares, vectors } = symmetricEigen(gram(values, width), width)
  let kept = 0
  while (kept < width && squares[kept]! > NEGLIGIBLE * squares[0]!) kept++
  const lengths = squares.slice(0, kept).map(Math.sqrt)
  const rows = width === 0 ? 0 : values.length / width
  const result = new Float32Array(rows * kept)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < kept; column++) {
      let sum = 0
      for (let index = 0; index < width; index++) sum += values[row * width + index]! * vectors[column * width + index]!
      result[row * kept + column] = sum / lengths[column]!
    }
  }
  return { values: result, width: kept, lengths }
}

/** The upper triangle of columns times columns. */
function gram(values: Float32Array, width: number): Float64Array {
  const products = new Float64Array(width * width)
  for (let row = 0; row < values.length; row += width) {
    for (let a = 0; a < width; a++) {
      const value = values[row + a]!
      const at = a * width
      for (let b = a; b < width; b++) products[at + b]! += value * values[row + b]!
    }
  }
  return products
}

function multiply(matrix: SparseMatrix, right: Float32Array, width: number): Float32Array {
  const product = new Float32Array(matrix.rows * width)
  const sums = new Float64Array(width)
  for (let row = 0; row < matrix.rows; row++) {
    sums.fill(0)
    for (let entry = matrix.starts[row]!; entry < matrix.starts[row + 1]!; entry++) {
      const value = matrix.values[entry]!
      const from = matrix.indexes[entry]! * width
      for (let index = 0; index < width; index++) sums[index]! += value * right[from + index]!
    }
    product.set(sums, row * width)
  }
  return product
}

function multiplyTransposed(matrix: SparseMatrix, right: Float32Array, width: number): Float32Array {
  const product = new Float32Array(matrix.columns * width)
  for (let row = 0; row < matrix.rows; row++) {
    const from = row * width
    for (let entry = matrix.starts[row]!; entry < matrix.starts[row + 1]!; entry++) {
      const value = matrix.values[entry]!
      const to = matrix.indexes[entry]! * width
      for (let index = 0; index < width; index++) product[to + index]! += value * right[from + index]!
    }
  }
  return product
}

function keepColumns(values: Float32Array, width: number, kept: number): Float32Array {
  if (kept === width) return values
  const rows = values.length / width
  const result = new Float32Array(rows * kept)
  for (let row = 0; row < rows; row++) result.set(values.subarray(row * width, row * width + kept), row * kept)
  return result
}

/** A direction and its opposite are as good: the entry of greatest size is made positive. */
function alignSigns(directions: Float32Array, width: number): void {
  for (let column = 0; column < width; column++) {
    let greatest = 0
    for (let at = column; at < directions.length; at += width) {
      if (Math.abs(directions[at]!) > Math.abs(greatest)) greatest = directions[at]!
    }
    if (greatest > 0) continue
    for (let at = column; at < directions.length; at += width) directions[at] = -directions[at]!
  }
}

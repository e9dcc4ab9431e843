import { EigenvalueDecomposition, Matrix } from 'ml-matrix'
import type { Matrix as DenseMatrix } from '../matrix.ts'

/** A sparse matrix: the entries of row r are those from `starts[r]` to `starts[r + 1]`. */
export interface SparseMatrix {
  readonly rows: number
  readonly columns: number
  readonly starts: Uint32Array
  readonly indexes: Uint32Array
  readonly values: Float32Array
}

/** Every entry of a matrix, zeros too. */
export function allEntries({ rows, columns, values }: DenseMatrix): SparseMatrix {
  return {
    rows,
    columns,
    starts: Uint32Array.from({ length: rows + 1 }, (_, row) => row * columns),
    indexes: Uint32Array.from(values, (_, at) => at % columns),
    values,
  }
}

export interface Svd {
  /** Number of values found: `rank`, or fewer if the matrix has a lower rank. */
  readonly rank: number
  /** Greatest first. */
  readonly singularValues: Float64Array
  /** Right singular vectors as columns: one row of `rank` numbers for each column of the matrix. */
  readonly directions: Float32Array
}

/**
 * The greatest singular values and their right vectors, by the randomized method of Halko, Martinsson and Tropp (SIAM
 * Review 2011): the matrix times random vectors nearly spans the space of its greatest directions. Two power iterations
 * improve it. Exact where the matrix is smaller than `rank`.
 */
export function truncatedSvd(matrix: SparseMatrix, rank: number, random: () => number): Svd {
  const width = Math.min(rank + OVERSAMPLING, matrix.rows, matrix.columns)
  const start = Float32Array.from({ length: matrix.columns * width }, () => 2 * random() - 1)
  let range = orthonormalise(multiply(matrix, start, width), width)
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    const back = multiplyTransposed(matrix, range.values, range.width)
    range = orthonormalise(multiply(matrix, back, range.width), range.width)
  }
  const projected = multiplyTransposed(matrix, range.values, range.width)
  const found = orthonormalise(projected, range.width, rank)
  return { rank: found.width, singularValues: found.lengths, directions: found.values }
}

const OVERSAMPLING = 10
const POWER_ITERATIONS = 2
/** Smaller squares, relative to the greatest, are rounding errors. */
const NEGLIGIBLE = 1e-11

/**
 * The left singular vectors of a tall matrix of `columns`, at most `most`, and its singular values, greatest first: the
 * squares are the eigenvalues of its Gram matrix. The vectors span the same space as the columns.
 */
function orthonormalise(values: Float32Array, columns: number, most = columns) {
  if (columns === 0) return { width: 0, lengths: new Float64Array(0), values: new Float32Array(0) }
  const { squares, vectors } = eigenOf(gram(values, columns), columns)
  let width = 0
  while (width < Math.min(most, columns) && squares[width]! > NEGLIGIBLE * squares[0]!) width++
  const lengths = squares.slice(0, width).map(Math.sqrt)
  const rows = values.length / columns
  const result = new Float32Array(rows * width)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < width; column++) {
      const vector = vectors[column]!
      let sum = 0
      for (let index = 0; index < columns; index++) sum += values[row * columns + index]! * vector[index]!
      result[row * width + column] = sum / lengths[column]!
    }
  }
  return { width, lengths, values: result }
}

/** The upper triangle of the Gram matrix. */
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

/** Eigenvalues of a symmetric matrix, greatest first, with their vectors; only its upper triangle is read. */
function eigenOf(upper: Float64Array, size: number) {
  const symmetric = new Matrix(size, size)
  for (let row = 0; row < size; row++) {
    for (let column = row; column < size; column++) {
      symmetric.set(row, column, upper[row * size + column]!)
      symmetric.set(column, row, upper[row * size + column]!)
    }
  }
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true })
  return {
    squares: Float64Array.from(realEigenvalues.toReversed()),
    vectors: eigenvectorMatrix.transpose().to2DArray().toReversed(),
  }
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

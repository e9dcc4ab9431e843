import { EigenvalueDecomposition, Matrix } from 'ml-matrix'
import { gram, orthonormalise, type Columns } from './orthonormalise.ts'

/** A sparse matrix: the entries of row r are those from `starts[r]` to `starts[r + 1]`. */
export interface SparseMatrix {
  readonly rows: number
  readonly columns: number
  readonly starts: Uint32Array
  readonly indexes: Uint32Array
  readonly values: Float32Array
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
  let range = orthonormalise({ values: multiply(matrix, start, width), width })
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    const back = multiplyTransposed(matrix, range.values, range.width)
    range = orthonormalise({ values: multiply(matrix, back, range.width), width: range.width })
  }
  // A second time, because rounding leaves nearly parallel columns not quite orthogonal.
  range = orthonormalise(range)
  const projected = { values: multiplyTransposed(matrix, range.values, range.width), width: range.width }
  return alignSigns(singularVectors(projected, rank))
}

const OVERSAMPLING = 10
const POWER_ITERATIONS = 2
/** Smaller squares, relative to the greatest, are rounding errors. */
const NEGLIGIBLE = 1e-11

/**
 * Singular values of the matrix and its right vectors, from its product with an orthonormal basis of its range: the
 * squares are eigenvalues of the product's Gram matrix.
 */
function singularVectors({ values, width }: Columns, rank: number): Svd {
  if (width === 0) return { rank: 0, singularValues: new Float64Array(0), directions: new Float32Array(0) }
  const { squares, vectors } = eigenOf(gram(values, width), width)
  let kept = 0
  while (kept < Math.min(rank, width) && squares[kept]! > NEGLIGIBLE * squares[0]!) kept++
  const singularValues = squares.slice(0, kept).map(Math.sqrt)
  const rows = values.length / width
  const directions = new Float32Array(rows * kept)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < kept; column++) {
      const vector = vectors[column]!
      let sum = 0
      for (let index = 0; index < width; index++) sum += values[row * width + index]! * vector[index]!
      directions[row * kept + column] = sum / singularValues[column]!
    }
  }
  return { rank: kept, singularValues, directions }
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

/** A direction and its opposite are equivalent: the entry of greatest magnitude is made positive. */
function alignSigns(svd: Svd): Svd {
  const { directions, rank: width } = svd
  for (let column = 0; column < width; column++) {
    let greatest = 0
    for (let at = column; at < directions.length; at += width) {
      if (Math.abs(directions[at]!) > Math.abs(greatest)) greatest = directions[at]!
    }
    if (greatest > 0) continue
    for (let at = column; at < directions.length; at += width) directions[at] = -directions[at]!
  }
  return svd
}

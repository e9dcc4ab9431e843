/** Eigenvalues, greatest first, and the eigenvectors as rows in the same order. */
export interface Eigen {
  readonly values: Float64Array
  readonly vectors: Float64Array
}

/**
 * Of a symmetric matrix of `size` rows, by Jacobi's rotations: each makes one entry beside the diagonal zero, and sweeps over all entries go on until nothing is
 * left of them. Slower than other methods and the most exact; `size` is a few hundred. `matrix` is used up.
 */
export function symmetricEigen(matrix: Float64Array, size: number): Eigen {
  const vectors = new Float64Array(size * size)
  for (let index = 0; index < size; index++) vectors[index * size + index] = 1
  const negligible = (NEGLIGIBLE * diagonalLength(matrix, size)) / size
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    let rotated = false
    for (let row = 0; row < size - 1; row++) {
      for (let column = row + 1; column < size; column++) {
        if (!(Math.abs(matrix[row * size + column]!) > negligible)) continue
        rotate(matrix, vectors, size, row, column)
        rotated = true
      }
    }
    if (!rotated) break
  }
  return sortedEigen(matrix, vectors, size)
}

const NEGLIGIBLE = 1e-13
/** It converges in six to ten. */
const MOST_SWEEPS = 40

function diagonalLength(matrix: Float64Array, size: number): number {
  let sum = 0
  for (let index = 0; index < size; index++) sum += Math.abs(matrix[index * size + index]!)
  return sum
}

/** Only the upper triangle is kept: entry (a, b) with a < b stands for both. */
function rotate(matrix: Float64Array, vectors: Float64Array, size: number, p: number, q: number): void {
  const entry = matrix[p * size + q]!
  const theta = (matrix[q * size + q]! - matrix[p * size + p]!) / (2 * entry)
  const tangent = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  matrix[p * size + p]! -= tangent * entry
  matrix[q * size + q]! += tangent * entry
  matrix[p * size + q] = 0
  for (let index = 0; index < p; index++) turn(matrix, index * size + p, index * size + q, cosine, sine)
  for (let index = p + 1; index < q; index++) turn(matrix, p * size + index, index * size + q, cosine, sine)
  for (let index = q + 1; index < size; index++) turn(matrix, p * size + index, q * size + index, cosine, sine)
  for (let index = 0; index < size; index++) turn(vectors, p * size + index, q * size + index, cosine, sine)
}

function turn(values: Float64Array, first: number, second: number, cosine: number, sine: number): void {
  const a = values[first]!
  const b = values[second]!
  values[first] = cosine * a - sine * b
  values[second] = sine * a + cosine * b
}

function sortedEigen(matrix: Float64Array, vectors: Float64Array, size: number): Eigen {
  const diagonal = (index: number): number => matrix[index * size + index]!
  const order = Array.from({ length: size }, (_, index) => index).sort((a, b) => diagonal(b) - diagonal(a) || a - b)
  const sorted = new Float64Array(size * size)
  order.forEach((from, to) => sorted.set(vectors.subarray(from * size, (from + 1) * size), to * size))
  return { values: Float64Array.from(order, diagonal), vectors: sorted }
}

/** A tall matrix, row by row, of `width` columns. */
export interface Columns {
  readonly values: Float32Array
  readonly width: number
}

/**
 * Orthonormal columns that span the same space: the columns divided by Cholesky's factor R of their Gram matrix. A
 * column that depends on those before it, but for rounding, is left out, so there may be fewer.
 */
export function orthonormalise({ values, width }: Columns): Columns {
  const { factor, kept } = cholesky(gram(values, width), width)
  const rows = width === 0 ? 0 : values.length / width
  const result = new Float32Array(rows * kept.length)
  const solved = new Float64Array(kept.length)
  for (let row = 0; row < rows; row++) {
    solved.fill(0)
    // Forward substitution by columns of R: each column is made orthogonal to those before it.
    for (let index = 0; index < kept.length; index++) {
      const from = index * width
      const value = (values[row * width + kept[index]!]! - solved[index]!) / factor[from + kept[index]!]!
      for (let later = index + 1; later < kept.length; later++) solved[later]! += value * factor[from + kept[later]!]!
      solved[index] = value
    }
    result.set(solved, row * kept.length)
  }
  return { values: result, width: kept.length }
}

/** The upper triangle of the Gram matrix. */
export function gram(values: Float32Array, width: number): Float64Array {
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

/** R with RᵀR = `products`, one row for each column kept. Overwrites `products`. */
function cholesky(products: Float64Array, width: number): { factor: Float64Array; kept: readonly number[] } {
  const factor = new Float64Array(width * width)
  const kept: number[] = []
  let greatest = 0
  for (let column = 0; column < width; column++) greatest = Math.max(greatest, products[column * width + column]!)
  for (let column = 0; column < width; column++) {
    const pivot = products[column * width + column]!
    if (!(pivot > NEGLIGIBLE * greatest)) continue
    const length = Math.sqrt(pivot)
    const row = factor.subarray(kept.length * width, (kept.length + 1) * width)
    for (let index = column; index < width; index++) row[index] = products[column * width + index]! / length
    for (let a = column + 1; a < width; a++) {
      for (let b = a; b < width; b++) products[a * width + b]! -= row[a]! * row[b]!
    }
    kept.push(column)
  }
  return { factor, kept }
}

/** Relative to the square of the greatest column. */
const NEGLIGIBLE = 1e-12

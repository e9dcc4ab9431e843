import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EigenvalueDecomposition, Matrix } from 'ml-matrix'
import { createRandom } from '../partition/seeded-random.ts'
import { truncatedSvd, type SparseMatrix, type Svd } from './truncated-svd.ts'

function sparse(rows: readonly (readonly number[])[]): SparseMatrix {
  const entries = rows.map((row) => row.flatMap((value, index) => (value === 0 ? [] : [{ value, index }])))
  const starts = [0]
  for (const row of entries) starts.push(starts.at(-1)! + row.length)
  const all = entries.flat()
  return {
    rows: rows.length,
    columns: rows[0]?.length ?? 0,
    starts: Uint32Array.from(starts),
    indexes: Uint32Array.from(all, ({ index }) => index),
    values: Float32Array.from(all, ({ value }) => value),
  }
}

const column = ({ directions, rank }: Svd, at: number): number[] =>
  [...directions].filter((_, index) => index % rank === at)
function near(actual: ArrayLike<number>, expected: readonly number[], tolerance = 1e-5): void {
  assert.equal(actual.length, expected.length)
  expected.forEach((value, index) => {
    assert.ok(Math.abs(actual[index]! - value) < tolerance, `${Array.from(actual)} beside ${expected}`)
  })
}

test('a small matrix has its known decomposition', () => {
  // MᵀM = [[25, 20], [20, 25]]: eigenvalues 45 and 5 along (1, 1) and (1, -1).
  const svd = truncatedSvd(sparse([[3, 0], [4, 5]]), 2, createRandom(1)) // prettier-ignore
  near(svd.singularValues, [Math.sqrt(45), Math.sqrt(5)])
  near(column(svd, 0).map(Math.abs), [Math.SQRT1_2, Math.SQRT1_2])
  near(column(svd, 1).map(Math.abs), [Math.SQRT1_2, Math.SQRT1_2])
})

test('a matrix has no more directions than its rank; one of zeros or without rows has none', () => {
  const svd = truncatedSvd(sparse(Array.from({ length: 9 }, () => [1, 2, 0, 2])), 3, createRandom(1))
  assert.equal(svd.rank, 1)
  near(svd.singularValues, [9])
  near(svd.directions.map(Math.abs), [1 / 3, 2 / 3, 0, 2 / 3])
  assert.equal(truncatedSvd(sparse([[0, 0], [0, 0]]), 2, createRandom(1)).rank, 0) // prettier-ignore
  assert.equal(truncatedSvd(sparse([]), 2, createRandom(1)).rank, 0)
})

test('the greatest directions of a larger matrix agree with the exact ones', () => {
  const random = createRandom(5)
  // Singular values that fall by about a fifth each.
  const rows = Array.from({ length: 120 }, () =>
    Array.from({ length: 40 }, (_, index) => (random() - 0.5) * 0.8 ** index),
  )
  const matrix = new Matrix(rows)
  const exact = new EigenvalueDecomposition(matrix.transpose().mmul(matrix))
  const squares = exact.realEigenvalues.toReversed()
  const vectors = exact.eigenvectorMatrix.transpose().to2DArray().toReversed()
  const svd = truncatedSvd(sparse(rows), 6, createRandom(1))
  near(svd.singularValues, squares.slice(0, 6).map(Math.sqrt), 1e-3)
  for (let at = 0; at < 6; at++) {
    const cosine = column(svd, at).reduce((sum, value, index) => sum + value * vectors[at]![index]!, 0)
    assert.ok(Math.abs(cosine) > 0.999, `direction ${at}: ${cosine}`)
  }
})

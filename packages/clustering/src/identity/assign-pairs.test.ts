import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assignPairs } from './assign-pairs.ts'

const matrices = fc
  .record({ rows: fc.integer({ min: 0, max: 5 }), columns: fc.integer({ min: 0, max: 5 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.constant(columns),
      // Few different scores, so that many assignments are equally good.
      scores: fc.array(fc.integer({ min: -3, max: 6 }), { minLength: rows * columns, maxLength: rows * columns }),
    }),
  )

test('the sum is the greatest of all one-to-one assignments', () => {
  fc.assert(
    fc.property(matrices, ({ rows, columns, scores }) => {
      const assigned = assignPairs(Float64Array.from(scores), rows, columns)
      const taken = [...assigned].filter((column) => column >= 0)
      assert.equal(new Set(taken).size, taken.length)
      assert.equal(taken.length, Math.min(rows, columns))
      let sum = 0
      assigned.forEach((column, row) => (sum += column < 0 ? 0 : scores[row * columns + column]!))
      assert.equal(sum, greatestSum(scores, rows, columns))
    }),
    { numRuns: 500 },
  )
})

test('a greedy choice is replaced by a greater sum', () => {
  assert.deepEqual([...assignPairs(Float64Array.of(0.9, 0.8, 0.8, 0.1), 2, 2)], [1, 0])
})

/** Of all ways to give min(rows, columns) rows a column each, tried one by one. */
function greatestSum(scores: readonly number[], rows: number, columns: number): number {
  const place = (row: number, taken: ReadonlySet<number>, idle: number): number => {
    if (row === rows) return 0
    let best = idle > 0 ? place(row + 1, taken, idle - 1) : -Infinity
    for (let column = 0; column < columns; column++) {
      if (taken.has(column)) continue
      best = Math.max(best, scores[row * columns + column]! + place(row + 1, new Set([...taken, column]), idle))
    }
    return best
  }
  return place(0, new Set(), Math.max(0, rows - columns))
}

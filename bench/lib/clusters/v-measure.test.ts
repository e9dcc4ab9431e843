import assert from 'node:assert/strict'
import { test } from 'node:test'
import { vMeasure } from './v-measure.ts'

test('groups that equal the labels score 1; one group for everything scores 0, one for each trace its homogeneity', () => {
  assert.equal(vMeasure(['a', 'b', 'a', 'c'], [7, 3, 7, 1]), 1)
  assert.equal(vMeasure(['a', 'a'], [0, 0]), 1)
  assert.ok(Math.abs(vMeasure(['a', 'b', 'a', 'b'], [0, 0, 0, 0])) < 1e-12)
  // Homogeneity 1, completeness log 2 / log 4.
  assert.ok(Math.abs(vMeasure(['a', 'b', 'a', 'b'], [0, 1, 2, 3]) - 2 / 3) < 1e-12)
})

test('a partial agreement has its known value', () => {
  // Groups {a, a, b} and {b, b, c}, by the definition.
  const entropyOfLabels = -(2 / 6) * Math.log(2 / 6) - (3 / 6) * Math.log(3 / 6) - (1 / 6) * Math.log(1 / 6)
  const within = -(2 / 3) * Math.log(2 / 3) - (1 / 3) * Math.log(1 / 3)
  const homogeneity = 1 - within / entropyOfLabels
  const completeness = (entropyOfLabels - within) / Math.log(2)
  const expected = (2 * homogeneity * completeness) / (homogeneity + completeness)
  assert.ok(Math.abs(vMeasure(['a', 'a', 'b', 'b', 'b', 'c'], [0, 0, 0, 1, 1, 1]) - expected) < 1e-12)
})

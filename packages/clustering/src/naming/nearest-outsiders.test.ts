import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestOutsiders } from './nearest-outsiders.ts'

test('the nearest points of other clusters come first, as many as there are', () => {
  const angles = [0.1, 0.5, 0.3, 1.5, 0.2]
  const values = Float32Array.from(angles.flatMap((angle) => [Math.cos(angle), Math.sin(angle)]))
  const points = { rows: angles.length, columns: 2, values }
  const near = (count: number) =>
    nearestOutsiders(points, Int32Array.of(0, 1, 2, 1, 1), Float32Array.of(1, 0), 0, count)
  assert.deepEqual(near(2), [4, 2])
  assert.deepEqual(near(9), [4, 2, 1, 3])
  assert.deepEqual(near(1), [4])
})

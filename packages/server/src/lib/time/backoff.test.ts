import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { backoffDelayMs } from './backoff.ts'

test('delays double up to the limit', () => {
  const waits = [1, 2, 3, 4, 5, 1000].map((attempt) => backoffDelayMs({ firstMs: 100, maxMs: 1000 }, attempt, 1))
  assert.deepEqual(waits, [100, 200, 400, 800, 1000, 1000])
})

test('a delay is between half of the longest delay and the longest delay', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      (attempt, random) => {
        const delay = backoffDelayMs({ firstMs: 200, maxMs: 5000 }, attempt, random)
        const longest = backoffDelayMs({ firstMs: 200, maxMs: 5000 }, attempt, 1)
        assert.ok(delay >= longest / 2 && delay <= longest && longest <= 5000)
      },
    ),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainQuantile } from './aggregate-reference.test-support.ts'
import { RankedCounts } from './ranked-counts.ts'

test('every quantile is that of the current content, whatever was added and removed', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 40 }),
      fc.array(fc.tuple(fc.nat(39), fc.integer({ min: -3, max: 5 })), { maxLength: 60 }),
      fc.constantFrom(0, 0.01, 0.5, 0.95, 0.99, 1),
      (unsorted, changes, share) => {
        const values = Float64Array.from(unsorted).sort()
        const bag = new RankedCounts(values)
        const counts = Array.from(values, () => 0)
        for (const [at, change] of changes) {
          const place = at % values.length
          const possible = Math.max(change, -(counts[place] as number))
          bag.add(place, possible)
          counts[place] = (counts[place] as number) + possible
        }
        const left = counts.flatMap((count, place) => Array.from({ length: count }, () => values[place] as number))
        assert.equal(bag.size, left.length)
        if (left.length > 0) assert.ok(Math.abs(bag.quantile(share) - plainQuantile(left, share)) < 1e-9)
      },
    ),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { largestGroups } from './largest-groups.ts'

test('the largest groups are the first ones of all, sorted by samples and name', () => {
  const groups = fc.uniqueArray(fc.tuple(fc.string(), fc.nat(4)), { selector: ([name]) => name, maxLength: 40 })
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 12 }), (all, most) => {
      const names = all.map(([name]) => name)
      const sorted = all
        .filter(([, samples]) => samples > 0)
        .toSorted(([a, more], [b, less]) => less - more || (a < b ? -1 : 1))
      const found = largestGroups(
        names,
        Float64Array.from(all, ([, samples]) => samples),
        most,
      )
      assert.deepEqual(
        found.map((group) => names[group]),
        sorted.slice(0, most).map(([name]) => name),
      )
    }),
  )
})

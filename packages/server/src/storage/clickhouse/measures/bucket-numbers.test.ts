import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { plainQuantile } from '../series/aggregate-reference.test-support.ts'
import { allOf, joinNumbers, quantileOf } from './bucket-numbers.ts'

const number = fc.oneof(fc.nat(3), fc.nat(600), fc.nat(100_000), fc.maxSafeNat())
const parts = fc
  .array(fc.array(number), { minLength: 1, maxLength: 5 })
  .map((all) => all.map((numbers) => Float64Array.from(numbers)))
const shares = fc.constantFrom(0.5, 0.95, 0.99)
const plain = (all: readonly Float64Array[], share: number) => {
  const numbers = all.flatMap((part) => [...part])
  return numbers.length === 0 ? null : plainQuantile(numbers, share)
}

test('percentiles of all numbers are exact', () => {
  fc.assert(
    fc.property(parts, shares, (all, share) => {
      const [found, expected] = [quantileOf(all.map(allOf), false, share), plain(all, share)]
      assert.ok(found === expected || Math.abs((found as number) - (expected as number)) <= 1e-9 * (expected as number))
    }),
  )
})

test('percentiles of rounded numbers are off by at most 0.2 %, and by nothing below 512', () => {
  fc.assert(
    fc.property(parts, shares, fc.nat(5), (all, share, joined) => {
      // Two groups, of which the second is that of the percentile.
      const { numbers, ends } = joinNumbers([all.map(allOf), all.slice(0, joined).map(allOf)], true)
      const some = [{ numbers, from: ends[0]!, until: ends[1]! }, ...all.slice(joined).map(allOf)]
      const [found, expected] = [quantileOf(some, true, share), plain(all, share)]
      if (expected === null || all.every((part) => part.every((one) => one < 512))) {
        assert.ok(found === expected || Math.abs((found as number) - (expected as number)) < 1e-9)
      } else
        assert.ok(Math.abs((found as number) - expected) <= expected * 2 ** -9 + 1e-9, `${found} is not ${expected}`)
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createRandom, sampleIndexes } from './seeded-random.ts'

test('the same seed gives the same numbers, another seed others', () => {
  const first = (seed: number) => Array.from({ length: 5 }, createRandom(seed))
  assert.deepEqual(first(7), first(7))
  assert.notDeepEqual(first(7), first(8))
  assert.notDeepEqual(first(0), first(1))
})

test('numbers spread evenly over [0, 1)', () => {
  const random = createRandom(1)
  const counts = new Uint32Array(10)
  for (let index = 0; index < 10_000; index++) counts[Math.floor(random() * 10)]!++
  for (const count of counts) assert.ok(count > 850 && count < 1150, `${counts}`)
})

test('a sample has the requested size, is ascending and has no repetition', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(80), fc.nat(), (total, count, seed) => {
      const sample = [...sampleIndexes(total, count, createRandom(seed))]
      assert.equal(sample.length, Math.min(total, count))
      assert.deepEqual(
        sample,
        [...new Set(sample)].sort((a, b) => a - b),
      )
      assert.ok(sample.every((index) => index < total))
    }),
  )
})

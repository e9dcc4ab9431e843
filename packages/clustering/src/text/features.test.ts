import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FEATURE_KINDS, featuresOf } from './features.ts'

const words = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { maxLength: 200 })

test('buckets ascend without duplicates, and counts do not depend on the order of words or on earlier traces', () => {
  fc.assert(
    fc.property(words, words, (asked, other) => {
      const once = featuresOf({ asked, done: asked })
      featuresOf({ asked: other, done: other })
      assert.deepEqual(featuresOf({ asked: asked.toReversed(), done: asked.toReversed() }), once)
      for (const kind of FEATURE_KINDS) {
        const buckets = [...once[kind].buckets]
        assert.deepEqual(
          buckets,
          [...new Set(buckets)].sort((a, b) => a - b),
        )
        assert.equal(once[kind].counts.length, buckets.length)
      }
    }),
  )
})

test('a word that is repeated is one feature with its count', () => {
  const { words: once, grams } = featuresOf({ asked: ['refund'], done: [] })
  const thrice = featuresOf({ asked: ['refund refund', 'refund'], done: [] })
  assert.deepEqual(thrice.words, { buckets: once.buckets, counts: Uint16Array.of(3) })
  assert.deepEqual(thrice.grams.buckets, grams.buckets)
  assert.deepEqual(
    [...thrice.grams.counts],
    [...grams.counts].map((count) => 3 * count),
  )
})

test('a count has 16 bits', () => {
  const { words: many } = featuresOf({ asked: ['refund '.repeat(65_536)], done: [] })
  assert.deepEqual([...many.counts], [65_535])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeFeatures, encodeFeatures } from './feature-codec.ts'
import { featuresOf, type FeatureCounts } from './features.ts'

const counts: fc.Arbitrary<FeatureCounts> = fc
  .uniqueArray(fc.tuple(fc.nat(65_535), fc.integer({ min: 1, max: 65_535 })), { selector: ([bucket]) => bucket })
  .map((entries) => entries.sort(([a], [b]) => a - b))
  .map((entries) => ({
    buckets: Uint16Array.from(entries, ([bucket]) => bucket),
    counts: Uint16Array.from(entries, ([, count]) => count),
  }))

test('decoding returns the encoded features', () => {
  fc.assert(
    fc.property(fc.record({ words: counts, grams: counts, steps: counts }, { noNullPrototype: true }), (features) => {
      assert.deepEqual(decodeFeatures(encodeFeatures(features)), features)
    }),
  )
})

test('the bytes have the documented format', () => {
  const none = { buckets: new Uint16Array(0), counts: new Uint16Array(0) }
  const words = { buckets: Uint16Array.of(0, 3, 300), counts: Uint16Array.of(1, 2, 200) }
  // 300 - 3 - 1 = 296, doubled and 1 for a count: 593 = 0x251; 200 - 2 = 198 = 0xc6.
  const expected = [1, 3, 0, 5, 0, 0xd1, 0x04, 0xc6, 0x01, 0, 0]
  assert.deepEqual([...encodeFeatures({ words, grams: none, steps: none })], expected)
})

test('a short request takes a few hundred bytes', () => {
  const features = featuresOf({
    asked: ['please move my return flight to a later one that day'],
    done: ['search', 'type:tool'],
  })
  assert.ok(encodeFeatures(features).length < 400, `${encodeFeatures(features).length}`)
})

test('another version is recognised; missing or extra bytes are refused', () => {
  const bytes = encodeFeatures(featuresOf({ asked: ['cancel my flight'], done: [] }))
  assert.equal(decodeFeatures(Uint8Array.of(2, ...bytes.slice(1))), null)
  assert.equal(decodeFeatures(new Uint8Array(0)), null)
  for (let length = 1; length < bytes.length; length++) assert.throws(() => decodeFeatures(bytes.slice(0, length)))
  assert.throws(() => decodeFeatures(Uint8Array.of(...bytes, 0)))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compactKey, sha256Bytes, sha256Hex } from './compact-key.ts'
import { numberedId, sha256 } from '../../../ports/journal/numbered-commit.test-support.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 60 })

test('different keys stay different, in at most 25 bytes', () => {
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(anyText, (key) => {
      const compact = compactKey(key)
      assert.ok(compact.length <= 25)
      const name = Buffer.from(compact).toString('hex')
      assert.equal(seen.get(name) ?? key, key)
      seen.set(name, key)
    }),
    { numRuns: 2000 },
  )
})

test('keys that are equal in UTF-8 only stay different', () => {
  const [left, right] = ['k\ud800', 'k\udfff']
  assert.notDeepEqual(compactKey(left), compactKey(right))
  assert.notDeepEqual(compactKey('k\u0000'), compactKey('k'))
})

test('a client-chosen step id takes 16 bytes and sorts as before', () => {
  const [left, right] = [compactKey(`i${numberedId('st', 1)}`), compactKey(`i${numberedId('st', 2)}`)]
  assert.equal(left.length, 17)
  assert.equal(Buffer.compare(left, right), -1)
})

test('a hash is decoded to its original text; other texts are rejected', () => {
  const hex = sha256('x')
  assert.equal(sha256Hex(sha256Bytes(hex)), hex)
  for (const text of ['', 'ab', hex.slice(1), hex.toUpperCase(), `${hex.slice(2)}zz`]) {
    assert.throws(() => sha256Bytes(text), RangeError)
  }
})

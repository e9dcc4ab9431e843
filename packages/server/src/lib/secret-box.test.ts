import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandomBytes } from './ids/random.ts'
import { SecretBox } from './secret-box.ts'

const KEY = Buffer.alloc(32, 7)
const box = new SecretBox(KEY, systemRandomBytes)

test('a sealed text opens with the same key in the same context, and sealing twice gives different bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
      const sealed = box.seal(text, context)
      assert.equal(new SecretBox(KEY, systemRandomBytes).open(sealed, context), text)
      assert.notDeepEqual(box.seal(text, context), sealed)
    }),
  )
})

test('a sealed text does not open with another key, in another context, or with any byte changed', () => {
  const sealed = box.seal('a secret', 'wh_1')
  const other = new SecretBox(Buffer.alloc(32, 8), systemRandomBytes)
  assert.throws(() => other.open(sealed, 'wh_1'))
  assert.throws(() => box.open(sealed, 'wh_2'))
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed)
    changed[at] = sealed[at]! ^ 1
    assert.throws(() => box.open(changed, 'wh_1'), `byte ${at}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.throws(() => box.open(sealed.subarray(0, length), 'wh_1'), `${length} bytes`)
  }
  assert.notEqual(box.keyId, other.keyId)
  assert.equal(box.keyId, new SecretBox(KEY, systemRandomBytes).keyId)
})

test('sealed text opens in its context only, and text that was stored before sealing is returned as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const sealed = box.sealText(text, 'dlv_1')
      assert.match(sealed, /^sealed:[A-Za-z0-9+/]+=*$/)
      assert.equal(box.openText(sealed, 'dlv_1'), text)
      assert.throws(() => box.openText(sealed, 'dlv_2'))
    }),
  )
  assert.throws(() => box.openText('https://a.test/hook', 'dlv_1'), /not a sealed text/)
})

test('the format is the documented one', () => {
  const still = new SecretBox(KEY, (size) => Buffer.alloc(size, 1))
  // Computed with another implementation of AES-256-GCM.
  assert.equal(
    Buffer.from(still.seal('a secret', 'wh_1')).toString('hex'),
    '0101010101010101010101010117c1fad2f3cd897aa66af88379e03f1b6250d7798947c6cc',
  )
  assert.equal(still.keyId, 'f1baf82c4a122811')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { hashSecret, isWellFormedSecret, newSecret } from './key-format.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a secret is spoor_, 30 characters and their CRC32 in base62', () => {
  for (let round = 0; round < 200; round++) {
    const secret = newSecret(systemRandomBytes)
    assert.match(secret, /^spoor_[0-9A-Za-z]{36}$/)
    const value = Array.from(secret.slice(36)).reduce((sum, character) => sum * 62 + ALPHABET.indexOf(character), 0)
    assert.equal(value, crc32(secret.slice(6, 36)))
    assert.ok(isWellFormedSecret(secret))
  }
})

test('one changed character is always noticed', () => {
  const secret = newSecret(systemRandomBytes)
  fc.assert(
    fc.property(fc.nat({ max: secret.length - 1 }), fc.constantFrom(...ALPHABET), (at, character) => {
      fc.pre(secret[at] !== character)
      assert.equal(isWellFormedSecret(secret.slice(0, at) + character + secret.slice(at + 1)), false)
    }),
  )
})

test('junk is not a secret', () => {
  const secret = newSecret(systemRandomBytes)
  for (const text of ['', 'spoor_', ` ${secret}`, `${secret}\n`, secret.toUpperCase(), `${secret}0`, secret.slice(1)]) {
    assert.equal(isWellFormedSecret(text), false, JSON.stringify(text))
  }
})

test('bytes that would make some characters likelier are discarded', () => {
  const highBytesOrZero = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index % 2 === 0 ? 248 : 0))
  assert.equal(newSecret(highBytesOrZero).slice(6, 36), '0'.repeat(30))
  assert.equal(newSecret((size) => new Uint8Array(size).fill(247)).slice(6, 36), 'z'.repeat(30))
})

test('the hash is SHA-256 of the whole secret', () => {
  assert.equal(Buffer.from(hashSecret('abc')).toString('hex').slice(0, 16), 'ba7816bf8f01cfea')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FieldErrors } from './field-errors.ts'
import { JsonScanner } from '../json/json-scan.ts'
import { checkRepeatedFieldsWithin } from './repeated-fields.ts'

function repeated(text: string, most = 20): string[] {
  const errors = new FieldErrors(most)
  checkRepeatedFieldsWithin(new JsonScanner(Buffer.from(text), Infinity), null, errors)
  return errors.all.map(({ pointer }) => pointer)
}

test('names each duplicate field, at any depth and with any escapes', () => {
  assert.deepEqual(repeated('{"a":1,"b":{"a":1},"c":[{"a":1},{"a":1}]}'), [])
  assert.deepEqual(repeated('{"a":1,"\\u0061":1}'), ['/a'])
  assert.deepEqual(repeated('[0,{"x":{"y":1,"y":{"z":1,"z":1}}}]'), ['/1/x/y', '/1/x/y/z'])
  assert.deepEqual(repeated('{"__proto__":1,"__proto__":2}'), ['/__proto__'])
})

test('stops at the maximum number of errors', () => {
  assert.deepEqual(repeated(`{${'"a":1,'.repeat(100)}"b":1}`, 3), ['/a', '/a', '/a'])
})

test('reads each byte once at any depth', () => {
  const scanner = new JsonScanner(Buffer.from(`${'{"m":'.repeat(60)}"${'x'.repeat(1000)}"${'}'.repeat(60)}`), Infinity)
  let [skipped, farthest] = [0, 0]
  const skipValue = scanner.skipValue.bind(scanner)
  scanner.skipValue = () => {
    skipped++
    assert.ok(scanner.position > farthest)
    farthest = scanner.position
    return skipValue()
  }
  checkRepeatedFieldsWithin(scanner, null, new FieldErrors(20))
  assert.equal(skipped, 1, 'only the text inside is passed over')
})

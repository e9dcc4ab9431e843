import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isRawNumber, parseExactJson, parseStructured } from './exact-json.ts'

const asSent = (value: unknown) => (isRawNumber(value) ? value.rawJSON : value)

test('numbers that JavaScript would round or rewrite keep their digits', () => {
  const sent = [
    '9007199254740993',
    '-0',
    '1.0',
    '1e3',
    '1E+2',
    '0.0000001',
    '12345678901234567890.5',
    '1e400',
    '0.1000',
  ]
  for (const text of sent) {
    assert.equal(asSent(parseExactJson(text)), text)
    assert.equal(JSON.stringify(parseExactJson(`{"a":[${text}]}`)), `{"a":[${text}]}`)
  }
  for (const plain of ['0', '1', '-1.5', '123456789012345', '0.000001', 'null', '"1.0"', 'true'])
    assert.deepEqual(parseExactJson(plain), JSON.parse(plain))
})

test('any number keeps its own digits', () => {
  const digits = (most: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${most}}$`))
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 25n }).map(String)),
      fc.option(digits(20)),
      fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), digits(2))),
    )
    .map(([sign, whole, part, power]) => `${sign}${whole}${part === null ? '' : `.${part}`}${power?.join('') ?? ''}`)
  fc.assert(
    fc.property(number, (text) => {
      const value = parseExactJson(text)
      assert.equal(isRawNumber(value) ? value.rawJSON : String(value), text)
    }),
    { numRuns: 1000 },
  )
})

test('an object that imitates such a number is not one, and depth does not matter', () => {
  assert.equal(isRawNumber(parseExactJson('{"rawJSON":"1.0"}')), false)
  const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`
  assert.ok(Array.isArray(parseExactJson(deep)))
  assert.throws(() => parseExactJson('{"a": 1.0'), SyntaxError)
})

test('only objects and arrays are structured text', () => {
  assert.deepEqual(parseStructured(' [1]'), [1])
  for (const text of ['12', '"a"', '{oops', 'plain', '[link](x)']) assert.equal(parseStructured(text), undefined)
})

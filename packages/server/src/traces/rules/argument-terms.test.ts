import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { argumentFilterTerms, argumentTerms } from './argument-terms.ts'

const termsOf = (...inputs: unknown[]) => argumentTerms(inputs.map((input) => ({ name: 'tool', input })))
const finds = (path: string, value: string, ...inputs: unknown[]) =>
  argumentFilterTerms(path, value).some((term) => termsOf(...inputs).includes(term))

test('an argument is found by its path and its value as text', () => {
  const input = { city: "it's", n: 1234, deep: { on: true, list: ['a', { b: 1.5 }] }, none: null, '': 'x' }
  for (const [path, value] of [
    ['city', "it's"],
    ['n', '1234'],
    ['n', '1234.0'],
    ['deep.on', 'true'],
    ['deep.list', 'a'],
    ['deep.list.b', '1.5'],
    ['deep.list.b', '15e-1'],
  ] as const)
    assert.ok(finds(path, value, input), `${path}=${value}`)
  for (const [path, value] of [
    ['city', 'IT'],
    ['n', '123'],
    ['none', 'null'],
    ['deep', 'true'],
    ['on', 'true'],
  ] as const)
    assert.ok(!finds(path, value, input), `${path}=${value}`)
  assert.ok(finds('city', 'b', { city: 'a' }, { city: 'b' }))
  assert.deepEqual([termsOf('text', 7, null, [1]), termsOf({ a: '007' }).length], [[], 1])
})

test('long values and exact numbers are found; of very many, the first hundred', () => {
  const long = 'x'.repeat(5000)
  assert.ok(finds(long, long, { [long]: long }))
  assert.ok(!finds('a', `${long}x`, { a: long }))
  assert.ok(finds('n', '12345678901234567890', parseExactJson('{"n": 12345678901234567890}')))
  assert.ok(finds('half', '\ud800', { half: '\ud800' }))
  assert.equal(termsOf({ list: Array.from({ length: 500 }, (_, at) => at) }).length, 100)
})

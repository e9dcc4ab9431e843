import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cookieValues } from './cookies.ts'

test('finds values by the whole name, in order', () => {
  for (const [header, values] of [
    ['a=1', ['1']],
    ['b=2; a=1', ['1']],
    ['a=1;a=2; a=1', ['1', '2', '1']],
    [' a = 1 ;b=2', ['1']],
    ['a=x=y==', ['x=y==']],
    ['a="1"', ['"1"']],
    ['a=%31', ['%31']],
    ['a=', ['']],
  ] as const) {
    assert.deepEqual(cookieValues(header, 'a'), values, header)
  }
})

test('ignores malformed pairs and other names', () => {
  for (const header of [
    undefined,
    '',
    ';',
    '; ;',
    'a',
    '=',
    '=1',
    'aa=1',
    'A=1',
    'b=a=1',
    'a b=1',
    '"a"=1',
    'a\u0000=1',
  ]) {
    assert.deepEqual(cookieValues(header, 'a'), [], header)
  }
  assert.deepEqual(cookieValues('a;=;a=1;a', 'a'), ['1'])
})

test('finds the pairs of the name among any others', () => {
  const text = fc.string().map((value) => value.replaceAll(/[;=]/g, '').trim())
  const pairs = fc.array(fc.tuple(fc.oneof(fc.constantFrom('a', 'A', '__proto__'), text), text))
  fc.assert(
    fc.property(pairs, fc.constantFrom(';', '; ', ' ;\t'), (given, between) => {
      const header = given.map(([name, value]) => `${name}=${value}`).join(between)
      const expected = given.filter(([name]) => name === 'a').map(([, value]) => value)
      assert.deepEqual(cookieValues(header, 'a'), expected)
    }),
  )
})

test('never throws, whatever the header', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (header) => Array.isArray(cookieValues(header, 'a'))))
})

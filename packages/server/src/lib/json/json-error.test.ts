import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonText, mutated } from './json-arbitraries.test-support.ts'
import { findJsonError } from './json-error.ts'

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test('finds an error exactly when JSON.parse refuses the text', () => {
  fc.assert(
    fc.property(mutated(jsonText.map((text) => Buffer.from(text))), (mutation) => {
      const text = mutation.toString()
      assert.equal(findJsonError(Buffer.from(text)) === null, parses(text), text)
    }),
    { numRuns: 5000 },
  )
})

test('reports the place and the reason', () => {
  for (const [text, line, column, reason] of [
    ['', 1, 1, 'the text ends where a value is expected'],
    ['{\n  "a": 1,\n}', 3, 1, 'a key in double quotes is expected'],
    ['[1 2]', 1, 4, "',' or ']' is expected"],
    ['{"a"}', 1, 5, "':' is expected"],
    ['{"a":1', 1, 7, "the text ends where ',' or '}' is expected"],
    ['"abc', 1, 5, 'the text ends inside a string'],
    ['"a\tb"', 1, 3, 'a control character in a string must be escaped'],
    ['"\\x"', 1, 2, 'there is no such escape in JSON'],
    ['-', 1, 1, 'a number is expected'],
    ['NaN', 1, 1, 'a value is expected'],
    ['1 1', 1, 3, 'only white space may follow the value'],
    ['\ufeff{}', 1, 1, 'a byte order mark is not allowed before the JSON text'],
  ] as const) {
    const error = findJsonError(Buffer.from(text))
    assert.deepEqual(
      { line: error?.line, column: error?.column, reason: error?.reason },
      { line, column, reason },
      text,
    )
  }
})

test('deep nesting uses no stack', () => {
  assert.equal(findJsonError(Buffer.from('['.repeat(200_000)))?.offset, 200_000)
  assert.equal(findJsonError(Buffer.from('{"a":'.repeat(200_000)))?.offset, 1_000_000)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showMetadataValue, toMetadataFilterValue } from './metadata-value.ts'

test('a filter by a value matches only that value', () => {
  const expected = [
    ['prod', 'prod'],
    ['1', '"1"'],
    ['', '""'],
    [1, '1'],
    [true, 'true'],
    [null, 'null'],
    [2 ** 64, null],
    [{ a: 1 }, null],
    [[1], null],
  ] as const
  for (const [value, text] of expected) assert.equal(toMetadataFilterValue(value), text)
})

test('text is shown unchanged, other values as JSON', () => {
  assert.deepEqual(['a b', 1, null, { a: [1] }].map(showMetadataValue), ['a b', '1', 'null', '{"a":[1]}'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { DomainError } from '../../lib/domain-error.ts'
import { metadataFilters, pageLimit } from './query-values.ts'

test('pairs the first metadata key with the first value, whatever the order of the parameters', () => {
  const expected = [
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ]
  for (const query of [
    'meta_key=a&meta_value=1&meta_key=b&meta_value=2',
    'meta_key=a&meta_key=b&meta_value=1&meta_value=2',
    'meta_value=1&meta_key=a&meta_value=2&meta_key=b',
  ]) {
    assert.deepEqual(metadataFilters(new URLSearchParams(query)), expected, query)
  }
})

test('a key without a value matches any value, at any position', () => {
  const filters = (query: string) =>
    metadataFilters(new URLSearchParams(query)).map(({ key, value }) => `${key}=${value}`)
  assert.deepEqual(filters('meta_key=a'), ['a=null'])
  assert.deepEqual(filters('meta_key=a&meta_key=b&meta_value=2'), ['a=null', 'b=2'])
  assert.deepEqual(filters('meta_key=a&meta_value=1&meta_key=b'), ['a=1', 'b=null'])
})

test('refuses a value without its key', () => {
  for (const query of ['meta_value=1', 'meta_key=a&meta_value=1&meta_value=2', 'meta_value=1&meta_key=a&meta_key=b']) {
    assert.throws(() => metadataFilters(new URLSearchParams(query)), DomainError, query)
  }
})

test('a page has 50 rows by default and never more than 1000', () => {
  assert.deepEqual(
    [undefined, 1, 1000, 100_000].map((limit) => pageLimit(limit, DEFAULT_LIMITS)),
    [50, 1, 1000, 1000],
  )
})

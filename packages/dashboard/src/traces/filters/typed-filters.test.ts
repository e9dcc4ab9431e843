import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedFilters } from './typed-filters.ts'

const field = (name: string, value: string) => ({ kind: 'field', field: name, value })

test('pairs of names and values are filters', () => {
  assert.deepEqual(typedFilters('tool=search argument.city="New York"  not_argument.a.b=1'), [
    field('tool', 'search'),
    { kind: 'argument', field: 'argument', key: 'city', value: 'New York' },
    { kind: 'argument', field: 'not_argument', key: 'a.b', value: '1' },
  ])
  assert.deepEqual(typedFilters('metadata.env=prod min_duration_ms=500 flagged=true status=error'), [
    { kind: 'metadata', key: 'env', value: 'prod' },
    field('min_duration_ms', '500'),
    field('flagged', 'true'),
    field('status', 'error'),
  ])
})

test('a text with anything else is none', () => {
  for (const text of [
    '',
    'tool',
    'tool=',
    'colour=red',
    'tool=a and',
    'other.key=1',
    'min_duration_ms=soon',
    'flagged=1',
    'status=bad',
    'argument.=x',
  ]) {
    assert.equal(typedFilters(text), null, text)
  }
})

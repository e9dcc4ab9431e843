import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SORT_CHOICES, sortChoiceOf, withSortBy, withSortChoice } from './sort-choice.ts'

test('every choice round-trips through the URL, and the default is left out', () => {
  for (const { value } of SORT_CHOICES) assert.equal(sortChoiceOf(withSortChoice({ q: 'x' }, value)), value)
  assert.deepEqual(withSortChoice({ sort: 'step_count', order: 'asc' }, 'created_at desc'), {})
})

test('a header sorts the largest first, then reverses, then resets', () => {
  const first = withSortBy({}, 'duration_ms')
  assert.deepEqual(first, { sort: 'duration_ms' })
  assert.deepEqual(withSortBy(first, 'duration_ms'), { sort: 'duration_ms', order: 'asc' })
  assert.deepEqual(withSortBy(withSortBy(first, 'duration_ms'), 'duration_ms'), first)
  assert.deepEqual(withSortBy({}, 'created_at'), { order: 'asc' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FEED_SORTS } from '@spoor/contract/schemas/traces/feed-query'
import { STEP_SORTS } from '@spoor/contract/schemas/traces/step-row'
import { SORTS } from './columns.ts'
import { orderOf, sortChoiceOf, sortChoices, sortedState, withSortBy, withSortChoice } from './sort-choice.ts'

test('every choice round-trips through the URL, and the default is left out', () => {
  for (const as of [undefined, 'steps'] as const) {
    const search = as === undefined ? {} : { as }
    for (const { value } of sortChoices(as ?? 'traces')) {
      assert.equal(sortChoiceOf(withSortChoice(search, value)), value)
    }
  }
  assert.deepEqual(withSortChoice({ sort: 'step_count', order: 'asc' }, 'created_at desc'), {})
})

test('a header sorts the largest first, then reverses, then resets', () => {
  const first = withSortBy({}, 'duration_ms')
  assert.deepEqual(first, { sort: 'duration_ms' })
  assert.deepEqual(withSortBy(first, 'duration_ms'), { sort: 'duration_ms', order: 'asc' })
  assert.deepEqual(withSortBy(withSortBy(first, 'duration_ms'), 'duration_ms'), first)
  assert.deepEqual(withSortBy({}, 'created_at'), { order: 'asc' })
})

test('each list has the sort keys of the service, and ignores those of the other', () => {
  assert.deepEqual(SORTS.traces.toSorted(), FEED_SORTS.toSorted())
  assert.deepEqual(SORTS.steps.toSorted(), STEP_SORTS.toSorted())
  assert.deepEqual(orderOf({ as: 'steps', sort: 'step_count', order: 'asc' }), {})
  assert.deepEqual(orderOf({ sort: 'started_at', order: 'asc' }), {})
  assert.deepEqual(orderOf({ as: 'steps', sort: 'started_at', order: 'asc' }), { sort: 'started_at', order: 'asc' })
  assert.deepEqual(orderOf({ as: 'steps', sort: 'cost_usd' }, 'traces'), { sort: 'cost_usd' })
  assert.equal(sortedState({ as: 'steps', sort: 'step_count' }, 'created_at'), 'descending')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortedBy, summarySearch } from './search.ts'

test('the address has a sort key of sessions and users, beside the filters of traces', () => {
  assert.deepEqual(summarySearch({ sort: 'error_count', order: 'asc', user_id: 'u' }), {
    sort: 'error_count',
    order: 'asc',
    user_id: 'u',
  })
  for (const sort of ['last_at', 'created_at', 'duration_ms', 1]) assert.deepEqual(summarySearch({ sort }), {})
})

test('a click on a head sorts by it, and a second one turns the order', () => {
  const first = sortedBy({ user_id: 'u' }, 'cost_usd')
  assert.deepEqual(first, { user_id: 'u', sort: 'cost_usd' })
  assert.deepEqual(sortedBy(first, 'cost_usd'), { user_id: 'u', sort: 'cost_usd', order: 'asc' })
  assert.deepEqual(sortedBy({ sort: 'cost_usd', order: 'asc' }, 'cost_usd'), { sort: 'cost_usd' })
  assert.deepEqual(sortedBy(first, 'last_at'), { user_id: 'u' })
  assert.deepEqual(sortedBy({}, 'last_at'), { order: 'asc' })
})

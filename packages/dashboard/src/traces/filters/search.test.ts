import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedSearch, type FeedSearch } from './search.ts'

test('parameters that the screen writes are parsed unchanged', () => {
  const search: FeedSearch = {
    q: 'refund',
    status: 'error',
    flagged: false,
    model: 'gpt-4o',
    meta: [['env', 'prod'], ['release']],
    sort: 'duration_ms',
    order: 'asc',
    range: '24h',
    live: false,
  }
  assert.deepEqual(feedSearch({ ...search }), search)
})

test('invalid parameters are dropped, and defaults are left out', () => {
  const raw = {
    status: 'bad',
    flagged: 'yes',
    sort: 'created_at',
    order: 'desc',
    live: true,
    meta: 'env',
    q: '',
    name: {},
  }
  assert.deepEqual(feedSearch(raw), {})
  assert.deepEqual(feedSearch({ meta: [[], [''], 'x', ['k', 7], [['a'], 'b']] }), { meta: [['k', '7']] })
  assert.equal(feedSearch({ meta: Array.from({ length: 99 }, (_, i) => [`k${i}`]) }).meta?.length, 32)
})

test('a filter may have several values; one that has one is that value', () => {
  const search: FeedSearch = { model: ['a', 'b'], not_name: 'x' }
  assert.deepEqual(feedSearch({ ...search }), search)
  assert.deepEqual(feedSearch({ model: ['a', '', {}], not_name: [], status: ['error', 'ok'] }), { model: 'a' })
  assert.deepEqual(feedSearch({ step_status: ['error', 'ok'], not_step_status: ['error', 'bad'] }), {
    step_status: ['error', 'ok'],
  })
  assert.equal(feedSearch({ user_id: Array.from({ length: 99 }, String) }).user_id?.length, 10)
})

test('bounds of values are numbers of any kind', () => {
  const search: FeedSearch = { metric: 'score', passed: false, min_value: -0.5, max_value: 0 }
  assert.deepEqual(feedSearch({ ...search }), search)
  assert.deepEqual(feedSearch({ min_value: '1', max_value: Infinity, passed: 'no' }), {})
})

test('bounds of times are times', () => {
  const search: FeedSearch = { event_start_time: '2026-01-31', event_end_time: '2026-02-01T12:00:00.001Z' }
  assert.deepEqual(feedSearch({ ...search }), search)
  assert.deepEqual(feedSearch({ event_start_time: 'soon', event_end_time: [] }), {})
})

test('a name that looks like a number is a name', () => {
  assert.deepEqual(feedSearch({ name: 42, user_id: true }), { name: '42', user_id: 'true' })
})

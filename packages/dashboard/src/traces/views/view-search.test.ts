import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { View } from '@spoor/contract/schemas/view'
import { type FeedSearch, feedSearch } from '../filters/search.ts'
import { isChanged, toViewBody, toViewSearch } from './view-search.ts'

const SEARCH: FeedSearch = feedSearch({
  q: 'refund',
  status: 'error',
  flagged: false,
  min_duration_ms: 5,
  without_metric: 'solved',
  meta: [['env', 'prod'], ['release']],
  sort: 'duration_ms',
  order: 'asc',
  from: '2026-01-31T00:00:00.000Z',
  to: '2026-02-01T00:00:00.000Z',
})

const viewOf = (search: FeedSearch) => ({ id: 'view_x', name: 'a', ...toViewBody(search) }) as View

test('a view stores filters and order as the API takes them', () => {
  assert.deepEqual(toViewBody({ ...SEARCH, live: false, view: 'view_y' }), {
    query: {
      q: 'refund',
      status: 'error',
      flagged: false,
      min_duration_ms: 5,
      without_metric: 'solved',
      metadata: { env: 'prod', release: null },
      sort: 'duration_ms',
      order: 'asc',
      start_time: '2026-01-31T00:00:00.000Z',
      end_time: '2026-02-01T00:00:00.000Z',
    },
    form: 'table',
    display: {},
  })
})

test('what is no filter, such as a range that moves with the clock, is stored for display', () => {
  const search = { ...feedSearch({ range: '24h', name: 'a' }), columns: 'name,cost' } as FeedSearch
  assert.deepEqual(toViewBody(search), {
    query: { name: 'a' },
    form: 'table',
    display: { range: '24h', columns: 'name,cost' },
  })
})

test('the address of a view is that from which it was saved, and names the view', () => {
  const chart = {
    as: 'chart',
    range: '7d',
    measure: 'steps.duration_ms',
    stat: 'p95',
    group_by: 'tool',
    show: ['is:a'],
  }
  for (const search of [
    SEARCH,
    feedSearch({ range: '7d' }),
    feedSearch({ range: '7d', as: 'steps' }),
    feedSearch({ range: '7d', as: 'steps', sort: 'started_at' }),
    feedSearch(chart),
  ]) {
    assert.deepEqual(toViewSearch(viewOf(search)), { ...search, view: 'view_x' })
  }
  // The range of another screen does not narrow it.
  assert.deepEqual(toViewSearch(viewOf({})), { range: 'all', view: 'view_x' })
  assert.equal(isChanged({ view: 'view_x' }, viewOf({})), false)
})

test('an address has changed when a filter, the order or the range has, not when it is paused', () => {
  const view = viewOf(SEARCH)
  const shown = toViewSearch(view)
  assert.equal(isChanged(shown, view), false)
  assert.equal(isChanged({ ...shown, live: false }, view), false)
  assert.equal(isChanged({ ...shown, status: 'ok' }, view), true)
  const { sort: _, ...unsorted } = shown
  assert.equal(isChanged(unsorted, view), true)
})

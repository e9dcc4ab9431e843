import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FeedFilter,
  filterValueLabel,
  filtersOf,
  isFiltered,
  withFilter,
  withoutFilter,
  withoutFilters,
  withToggled,
} from './feed-filters.ts'
import type { FeedSearch } from './search.ts'

const FILTERS: readonly FeedFilter[] = [
  { kind: 'field', field: 'status', value: 'error' },
  { kind: 'field', field: 'flagged', value: 'true' },
  { kind: 'field', field: 'model', value: 'gpt-4o' },
  { kind: 'metadata', key: 'env', value: 'prod' },
  { kind: 'metadata', key: 'release', value: null },
]

test('set filters are listed, and each can be removed', () => {
  const search = FILTERS.reduce(withFilter, {} as FeedSearch)
  assert.deepEqual(search, { status: 'error', flagged: true, model: 'gpt-4o', meta: [['env', 'prod'], ['release']] })
  assert.deepEqual(filtersOf(search), FILTERS)
  assert.deepEqual(FILTERS.reduce(withoutFilter, search), {})
})

test('a field and a key have one filter: the last one', () => {
  const search: FeedSearch = {
    status: 'ok',
    meta: [
      ['env', 'dev'],
      ['x', '1'],
    ],
  }
  assert.deepEqual(withFilter(search, FILTERS[0]!).status, 'error')
  assert.deepEqual(withFilter(search, FILTERS[3]!).meta, [
    ['env', 'prod'],
    ['x', '1'],
  ])
})

test('values are added to a filter and removed from it, and its label names all', () => {
  const filter = { kind: 'field', field: 'not_model', value: 'a' } as const
  const both = withToggled(filter, 'b')
  assert.deepEqual(both, { ...filter, value: ['a', 'b'] })
  assert.equal(filterValueLabel(both!), 'a or b')
  const search = withFilter({}, both!)
  assert.deepEqual(search, { not_model: ['a', 'b'] })
  assert.deepEqual(filtersOf(search), [both])
  assert.deepEqual(withToggled({ ...filter, value: ['a', 'b'] }, 'a'), { ...filter, value: 'b' })
  assert.equal(withToggled(filter, 'a'), null)
})

test('clearing filters keeps time and order', () => {
  const search: FeedSearch = { q: 'x', status: 'ok', meta: [['env']], range: '1h', sort: 'duration_ms' }
  assert.equal(isFiltered(search), true)
  assert.deepEqual(withoutFilters(search), { range: '1h', sort: 'duration_ms' })
  assert.equal(isFiltered(withoutFilters(search)), false)
})

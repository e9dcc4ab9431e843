import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupKey, type GroupTotal } from '../lib/series-data.ts'
import { groupRows, sortedRows } from './group-rows.ts'
import { measureOf } from '../explore/measures.ts'

const total = (group: string | null, count: number, value: number | null, previous?: number | null): GroupTotal => ({
  group,
  count,
  value,
  ...(previous === undefined ? {} : { previous: { count: 1, value: previous } }),
})
const columns = (groups: readonly GroupTotal[], other: GroupTotal | null = null) => ({
  groups: groups.map((each) => ({ key: groupKey(each), total: each, points: [] })),
  other: other === null ? null : { key: 'other', total: other, points: [] },
})

test('a group has its rows, value, share, and change against the period before', () => {
  const [cost] = measureOf('cost_usd').statistics
  const groups = [total('a', 2, 6, 4), total('b', 1, 2, 0), total(null, 1, 1, null)]
  const rows = groupRows(columns(groups, { ...total(null, 5, 1), other: true }), cost)
  assert.deepEqual(
    rows.map(({ key, rank, count, value, change, share }) => [key, rank, count, value, change, share]),
    [
      ['is:a', 0, 2, 6, 0.5, 0.6],
      ['is:b', 1, 1, 2, null, 0.2],
      ['none', 2, 1, 1, null, 0.1],
      ['other', null, 5, 1, null, 0.1],
    ],
  )
})

test('a rate changes by points, its share is that of the rows, and it has none of several groups', () => {
  const [rate] = measureOf('error_rate').statistics
  const rows = groupRows(columns([total('a', 3, 0.5, 0.25)], { ...total(null, 1, 1), other: true }), rate)
  assert.deepEqual(
    rows.map(({ key, value, change, share }) => [key, value, change, share]),
    [['is:a', 0.5, 0.25, 0.75]],
  )
})

test('the table sorts by any column, what is not known last', () => {
  const [cost] = measureOf('cost_usd').statistics
  const rows = groupRows(columns([total('a', 2, 6), total('b', 3, 2), total(null, 0, null)]), cost)
  const keys = (by: 'count' | 'value', ascending: boolean) => sortedRows(rows, by, ascending).map(({ key }) => key)
  assert.deepEqual(keys('value', true), ['is:b', 'is:a', 'none'])
  assert.deepEqual(keys('value', false), ['is:a', 'is:b', 'none'])
  assert.deepEqual(keys('count', false), ['is:b', 'is:a', 'none'])
})

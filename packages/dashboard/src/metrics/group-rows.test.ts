import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SeriesPoint } from '../lib/series-data.ts'
import { groupRows, sortedRows } from './group-rows.ts'
import { measureOf } from '../explore/measures.ts'

const AT = '1970-01-01T00:00:00.000Z'
const point = (group: string | null, count: number, rest: Partial<SeriesPoint>): SeriesPoint => ({
  at: AT,
  group,
  count,
  ...rest,
})
const columns = { groups: ['a', 'b', null].map((group) => ({ group, points: [] })) }

test('a group has its rows, value, share, and change against the period before', () => {
  const [cost] = measureOf('cost_usd').statistics
  const other = point(null, 5, { other: true, sum: 1 })
  const whole = [point('a', 2, { sum: 6 }), point('b', 1, { sum: 2 }), point(null, 1, { sum: 1 }), other]
  const before = [point('a', 2, { sum: 4 }), point('b', 9, { sum: 0 })]
  const rows = groupRows(columns, cost, whole, before)
  assert.deepEqual(
    rows.map(({ key, count, value, change, share }) => [key, count, value, change, share]),
    [
      ['is:a', 2, 6, 0.5, 0.6],
      ['is:b', 1, 2, null, 0.2],
      ['none', 1, 1, null, 0.1],
      ['other', 5, 1, null, 0.1],
    ],
  )
})

test('a rate changes by points, its share is that of the rows, and it has none of several groups', () => {
  const [rate] = measureOf('error_rate').statistics
  const whole = [point('a', 3, { error_rate: 0.5 }), point(null, 1, { other: true, error_rate: 1 })]
  const [first, ...others] = groupRows(columns, rate, whole, [point('a', 1, { error_rate: 0.25 })])
  assert.deepEqual([first?.value, first?.change, first?.share], [0.5, 0.25, 0.75])
  assert.deepEqual(
    others.map(({ key, value }) => [key, value]),
    [
      ['is:b', null],
      ['none', null],
    ],
  )
})

test('the table sorts by any column, what is not known last', () => {
  const [cost] = measureOf('cost_usd').statistics
  const whole = [point('a', 2, { sum: 6 }), point('b', 3, { sum: 2 })]
  const rows = groupRows(columns, cost, whole, [])
  const keys = (by: 'count' | 'value', ascending: boolean) => sortedRows(rows, by, ascending).map(({ key }) => key)
  assert.deepEqual(keys('value', true), ['is:b', 'is:a', 'none'])
  assert.deepEqual(keys('value', false), ['is:a', 'is:b', 'none'])
  assert.deepEqual(keys('count', false), ['is:b', 'is:a', 'none'])
})

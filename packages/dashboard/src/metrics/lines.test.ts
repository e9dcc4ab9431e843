import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupKey, type GroupTotal, type SeriesColumns, type SeriesPoint } from '../lib/series-data.ts'
import { groupLines, groupOfLine, shownGroups, toModel, wholeLine, wholeLines } from './lines.ts'
import { measureOf } from '../explore/measures.ts'

const point = (value: number, previous?: number): SeriesPoint => ({
  at: '1970-01-01T00:00:00.000Z',
  group: null,
  count: 1,
  value,
  ...(previous === undefined ? {} : { previous: { count: 1, value: previous } }),
})

const groupOf = (group: string | null, points: readonly (SeriesPoint | null)[], value: number | null = null) => {
  const total: GroupTotal = { group, count: 1, value }
  return { key: groupKey(total), total, points }
}

const columns = (groups: SeriesColumns['groups']): SeriesColumns => ({
  times: [0, 1, 2],
  bucketMs: 1,
  groups,
  other: null,
})

const statisticOf = (measure: string, id: string) => {
  const found = measureOf(measure).statistics.find((each) => each.id === id)
  assert.ok(found !== undefined)
  return found
}

test('the first groups are drawn until others are chosen, and keep their style', () => {
  const many = columns(Array.from({ length: 20 }, (_, index) => groupOf(`g${index}`, [null, null, null])))
  const first = shownGroups(many, undefined)
  assert.deepEqual(
    first,
    Array.from({ length: 8 }, (_, index) => `is:g${index}`),
  )
  const chosen = shownGroups(many, ['is:g9', 'is:g1', 'is:gone'])
  assert.deepEqual(chosen, ['is:g1', 'is:g9'])
  assert.deepEqual(shownGroups(many, ['is:gone']), first)
  const [statistic] = measureOf('count').statistics
  const styleOf = (shown: readonly string[]) => groupLines(many, statistic, shown).find(({ key }) => key === 'is:g1')
  assert.equal(styleOf(chosen)?.color, styleOf(first)?.color)
})

test('an empty bucket is a gap in a mean and 0 in a count', () => {
  const one = columns([groupOf(null, [point(40), null, point(9)], 41)])
  const median = statisticOf('duration_ms', 'p50')
  const [traces] = measureOf('count').statistics
  assert.deepEqual(wholeLine(one, median).values, [40, null, 9])
  assert.deepEqual(wholeLine(one, traces).values, [40, 0, 9])
  assert.equal(wholeLine(one, median).total, 41, 'that of the service: a percentile is no mean of percentiles')
  assert.deepEqual(wholeLine(columns([]), traces).values, [0, 0, 0])
})

test('the remaining groups are one line, so that stacks add up, with a total for the range', () => {
  const many = {
    ...columns(
      Array.from({ length: 10 }, (_, index) => groupOf(`g${index}`, [point(10 - index), null, point(1)], 11 - index)),
    ),
    other: groupOf('rest', [point(0.5), null, null], 0.5),
  }
  const [statistic] = measureOf('cost_usd').statistics
  const lines = groupLines(many, statistic, shownGroups(many, undefined), { leftOut: 3 })
  assert.deepEqual(
    lines.slice(-2).map(({ label, values, total }) => [label, values, total]),
    [
      ['g7', [3, 0, 1], 4],
      ['Other (5 groups)', [2 + 1 + 0.5, 0, 2], 5.5],
    ],
  )
  assert.equal(groupOfLine(lines.at(-1)?.key ?? ''), undefined)
  assert.equal(toModel(many, statistic, lines).kind, 'stack')
  const p50 = statisticOf('duration_ms', 'p50')
  assert.equal(groupLines(many, p50, ['is:g0']).length, 1, 'percentiles do not add up')
})

test('the period before is a dashed line of each group, and then nothing is stacked', () => {
  const [statistic] = measureOf('cost_usd').statistics
  const two = columns([groupOf('a', [point(1, 3), null, point(2)]), groupOf('b', [null, null, null])])
  const lines = groupLines(two, statistic, ['is:a', 'is:b'], { before: true })
  assert.deepEqual(
    lines.map(({ label, dashed, values }) => [label, dashed, values]),
    [
      ['a', false, [1, 0, 2]],
      ['a, before', true, [3, 0, 0]],
      ['b', false, [0, 0, 0]],
      ['b, before', true, [0, 0, 0]],
    ],
  )
  assert.equal(groupOfLine(lines[1]?.key ?? null), 'is:a')
  assert.equal(toModel(two, statistic, lines).kind, 'lines')
  assert.equal(wholeLines(columns([]), statistic, true).length, 2)
})

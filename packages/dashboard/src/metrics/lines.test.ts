import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { SeriesColumns, SeriesPoint } from '../lib/series-data.ts'
import { groupKey, groupLines, groupOfKey, groupOfLine, optionLines, shownGroups, toModel, wholeLine } from './lines.ts'
import { measureOf } from '../explore/measures.ts'
import { metricStatistics, overall } from './statistics.ts'

const METRIC: Metric = {
  id: 'met_00000000000000000000000000',
  name: 'tone',
  kind: 'enum',
  description: null,
  min: null,
  max: null,
  unit: null,
  options: [
    { value: 'polite', label: 'Polite' },
    { value: 'rude', label: null },
  ],
  direction: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

const point = (group: string | null, count: number, rest: Partial<SeriesPoint> = {}): SeriesPoint => ({
  at: '1970-01-01T00:00:00.000Z',
  group,
  count,
  ...rest,
})

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

test('a group without a value differs from every text', () => {
  for (const group of [null, '', 'none', 'is:none', '(none)']) assert.equal(groupOfKey(groupKey(group)), group)
})

test('the largest groups are drawn until others are chosen, and keep their style', () => {
  const many = columns(Array.from({ length: 20 }, (_, index) => ({ group: `g${index}`, points: [null, null, null] })))
  const largest = shownGroups(many, undefined)
  assert.deepEqual(
    largest,
    Array.from({ length: 8 }, (_, index) => `is:g${index}`),
  )
  const chosen = shownGroups(many, ['is:g9', 'is:g1', 'is:gone'])
  assert.deepEqual(chosen, ['is:g1', 'is:g9'])
  assert.deepEqual(shownGroups(many, ['is:gone']), largest)
  const [statistic] = measureOf('count').statistics
  const styleOf = (shown: readonly string[]) => groupLines(many, statistic, shown).find(({ key }) => key === 'is:g1')
  assert.equal(styleOf(chosen)?.color, styleOf(largest)?.color)
})

test('an empty bucket is a gap in a mean and 0 in a count', () => {
  const one = columns([{ group: null, points: [point(null, 3, { p50: 40 }), null, point(null, 1, { p50: 9 })] }])
  const median = statisticOf('duration_ms', 'p50')
  const [traces] = measureOf('count').statistics
  assert.deepEqual(wholeLine(one, median).values, [40, null, 9])
  assert.deepEqual(wholeLine(one, traces).values, [3, 0, 1])
  assert.deepEqual(wholeLine(columns([]), traces).values, [0, 0, 0])
})

test('enum options are shares of each bucket, or stacked counts', () => {
  const counts = { polite: 3, rude: 1 }
  const one = columns([
    { group: null, points: [point(null, 4, { counts }), null, point(null, 2, { counts: { rude: 2 } })] },
  ])
  const [share, count] = metricStatistics(METRIC, 'polite')
  const shares = optionLines(one, METRIC, true)
  assert.deepEqual(
    shares.map(({ label, values }) => [label, values]),
    [
      ['Polite', [0.75, null, 0]],
      ['rude', [0.25, null, 1]],
    ],
  )
  assert.equal(toModel(one, share, shares, { parts: true }).kind, 'stack')
  assert.ok(count !== undefined)
  assert.equal(toModel(one, count, optionLines(one, METRIC, false)).kind, 'stack')
})

test('of many options the largest have their own line', () => {
  const options = Array.from({ length: 12 }, (_, index) => ({ value: `o${index}`, label: null }))
  const counts = Object.fromEntries(options.map(({ value }, index) => [value, index + 1]))
  const one = columns([{ group: null, points: [point(null, 78, { counts }), null, null] }])
  const lines = optionLines(one, { ...METRIC, options }, false)
  assert.deepEqual(
    lines.map(({ label, values }) => [label, values[0]]),
    [...options.slice(4).map(({ value }, index) => [value, index + 5]), ['Other (4 options)', 1 + 2 + 3 + 4]],
  )
})

test('over all buckets shares weigh by rows, counts add up, and extremes stay', () => {
  const points = [point(null, 9, { error_rate: 1, sum: 5, max: 3 }), point(null, 1, { error_rate: 0, sum: 6, max: 7 })]
  const [rate, failed] = measureOf('error_rate').statistics
  assert.equal(overall(rate, points), 0.9)
  assert.ok(failed !== undefined)
  assert.equal(overall(failed, points), 9)
  assert.equal(overall(measureOf('cost_usd').statistics[0], points), 11)
  const max = statisticOf('duration_ms', 'max')
  assert.equal(overall(max, points), 7)
  assert.equal(overall(max, []), null)
})

test('the remaining groups are one line, so that stacks add up, with a total for the range', () => {
  const cost = (sum: number) => point(null, 1, { sum })
  const many = {
    ...columns(
      Array.from({ length: 10 }, (_, index) => ({ group: `g${index}`, points: [cost(10 - index), null, cost(1)] })),
    ),
    other: [cost(0.5), null, null],
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
  // A group may have any name.
  assert.notEqual(groupKey('other'), lines.at(-1)?.key)
  const whole = 10 + 9 + 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1 + 10 + 0.5
  assert.equal(
    lines.reduce((sum, { total }) => sum + (total ?? 0), 0),
    whole,
  )
  const p50 = statisticOf('duration_ms', 'p50')
  assert.equal(groupLines(many, p50, ['is:g0']).length, 1, 'percentiles do not add up')
})

test('a percentile of the range is that of all its rows, not a mean of percentiles', () => {
  const one = columns([{ group: null, points: [point(null, 1, { p50: 100 }), null, point(null, 9, { p50: 1 })] }])
  const median = statisticOf('duration_ms', 'p50')
  assert.equal(wholeLine(one, median).total, null)
  assert.equal(wholeLine(one, median, new Map([['none', point(null, 10, { p50: 1 })]])).total, 1)
  const [rate] = measureOf('error_rate').statistics
  const rates = columns([
    { group: null, points: [point(null, 9, { error_rate: 0 }), point(null, 1, { error_rate: 1 }), null] },
  ])
  assert.equal(wholeLine(rates, rate).total, 0.1)
})

test('groups of traces are ranked by the total of the measure', () => {
  const of = point(null, 4, { error_rate: 0.5, avg: 3, sum: 7 })
  const weights = (['count', 'error_rate', 'duration_ms', 'total_tokens', 'cost_usd'] as const).map((measure) =>
    measureOf(measure).weightOf(of),
  )
  assert.deepEqual(weights, [4, 2, 12, 7, 7])
})

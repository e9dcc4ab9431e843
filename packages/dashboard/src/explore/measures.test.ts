import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { METRIC_STATS, SERIES_MEASURES, type SeriesMeasureName } from '@spoor/contract/series-fields'
import { measureOf, measureOfMetric } from './measures.ts'

const METRIC: Metric = {
  id: 'met_00000000000000000000000000',
  name: 'tone',
  kind: 'enum',
  description: null,
  min: null,
  max: null,
  unit: null,
  options: null,
  direction: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
const NONE = { filters: {}, metadata: [] }

test('each measure of the service can be chosen, with statistics that the service has', () => {
  for (const [name, { of, stats }] of Object.entries(SERIES_MEASURES)) {
    for (const rows of of) {
      const measure = measureOf(rows === 'steps' ? `steps.${name}` : name)
      assert.deepEqual([measure.rows, measure.subject(NONE).measure], [rows, name as SeriesMeasureName])
      for (const { id, stat } of measure.statistics)
        assert.ok((stats as readonly string[]).includes(stat), `${name}: ${id}`)
    }
  }
})

test('a metric is a share, numbers, or traces by option', () => {
  for (const kind of ['boolean', 'numeric'] as const) {
    const measure = measureOfMetric({ ...METRIC, kind })
    assert.equal(measure.subject(NONE).measure, 'metric.tone')
    for (const { stat } of measure.statistics) assert.ok((METRIC_STATS[kind] as readonly string[]).includes(stat), stat)
  }
  const options = measureOfMetric(METRIC)
  assert.equal(options.groupBy, 'metric.tone')
  assert.deepEqual(options.subject(NONE), {
    rows: 'traces',
    measure: 'count',
    stat: 'count',
    of: { filters: { metric: 'tone' }, metadata: [] },
  })
})

test('behind recovered errors and waste are only runs that have some', () => {
  assert.deepEqual(measureOf('recovered_errors').worst, { recovered_errors: true })
  assert.deepEqual(measureOf('wasted_tokens').worst, { finding: 'any' })
  assert.deepEqual(measureOf('wasted_cost_usd').worst, { finding: 'any', sort: 'cost_usd' })
})

test('of a metric that should be low, the runs that passed come first', () => {
  const { worst } = measureOfMetric({ ...METRIC, kind: 'boolean', direction: 'lower' })
  assert.deepEqual(worst, { metric: 'tone', passed: true })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { fitToSource, newMonitorDraft } from '../monitors/form/monitor-draft.ts'
import { monitorSearch } from '../monitors/search.ts'
import type { FeedSearch } from '../traces/filters/search.ts'
import { type Measure, measureOf, measureOfMetric } from './measures.ts'
import { monitored } from './monitored.ts'

const SOLVED: Metric = {
  id: 'met_00000000000000000000000000',
  name: 'solved',
  kind: 'boolean',
  description: null,
  min: null,
  max: null,
  unit: null,
  options: null,
  direction: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

/** What the form shows first. */
function formOf(search: FeedSearch, chart: Measure | null, metric?: Metric) {
  const address = monitorSearch({ ...monitored(search, chart) })
  const { kind, metric: name, measure, aggregation, forEach, filters } = fitToSource(newMonitorDraft(address), metric)
  return { source: kind === 'metric' ? name : `${kind} ${measure}`, aggregation, forEach, filters }
}

test('a monitor of a list has its filters and rows', () => {
  const usual = { aggregation: 'avg', forEach: '', filters: { model: 'm' } }
  assert.deepEqual(formOf({ model: 'm', sort: 'cost_usd' }, null), { source: 'traces error_rate', ...usual })
  const times = { event_start_time: '2026-01-31', from: '2026-01-30', to: '2026-01-31' }
  assert.deepEqual(formOf({ q: 'refund', model: 'm', ...times }, null), {
    source: 'traces error_rate',
    ...usual,
    filters: { q: 'refund', model: 'm' },
  })
  assert.deepEqual(formOf({ as: 'steps', model: 'm' }, null), { source: 'steps error_rate', ...usual })
})

test('a monitor of a chart has its measure, statistic and group', () => {
  const grouped = { as: 'chart', group_by: 'tool', stat: 'p99' } as const
  const steps = { source: 'steps duration_ms', aggregation: 'p99', forEach: 'tool', filters: {} }
  assert.deepEqual(formOf(grouped, measureOf('steps.duration_ms')), steps)
  const failures = { source: 'traces error_rate', aggregation: 'sum', forEach: 'metadata.env', filters: {} }
  assert.deepEqual(formOf({ as: 'chart', group_by: 'metadata.env', stat: 'errors' }, measureOf('error_rate')), failures)
  const dear = { source: 'traces wasted_cost_usd', aggregation: 'sum', forEach: 'model', filters: {} }
  assert.deepEqual(formOf({ as: 'chart', group_by: 'model' }, measureOf('wasted_cost_usd')), dear)
  // Monitors have no measure of input tokens, and so no statistic of it.
  const none = { source: 'traces error_rate', aggregation: 'avg', forEach: '', filters: {} }
  assert.deepEqual(formOf({ as: 'chart', group_by: 'model' }, measureOf('input_tokens')), none)
})

test('a monitor of a chart of a metric is of that metric, by a group that monitors of metrics have', () => {
  const passed = { source: 'solved', aggregation: 'sum', forEach: 'model', filters: { run_type: 'agent' } }
  const search = { as: 'chart', run_type: 'agent', stat: 'passed', group_by: 'model' } as const
  assert.deepEqual(formOf(search, measureOfMetric(SOLVED), SOLVED), passed)
  const rate = { ...passed, aggregation: 'pass_rate', forEach: '' }
  assert.deepEqual(formOf({ ...search, stat: 'pass_rate', group_by: 'tool' }, measureOfMetric(SOLVED), SOLVED), rate)
  const byUser = { ...rate, forEach: 'user_id' }
  assert.deepEqual(
    formOf({ ...search, stat: 'pass_rate', group_by: 'user_id' }, measureOfMetric(SOLVED), SOLVED),
    byUser,
  )
})

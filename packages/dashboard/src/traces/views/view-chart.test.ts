import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ViewChart } from '@spoor/contract/schemas/view'
import { fromViewChart, toViewChart } from './view-chart.ts'

test('a chart of the API has an address, and the address is that chart', () => {
  const charts: readonly ViewChart[] = [
    { rows: 'traces', measure: 'count' },
    { rows: 'traces', measure: 'metric.solved', stat: 'rate', bucket: '1d' },
    { rows: 'steps', measure: 'duration_ms', stat: 'p95', group_by: ['tool', 'model'], drawn: 'line', log: true },
    {
      rows: 'traces',
      measure: 'cost_usd',
      group_by: ['model'],
      order: 'change',
      compare: 'previous',
      drawn: 'stacked',
    },
    { rows: 'steps', measure: 'count', drawn: 'bar' },
    { rows: 'steps', measure: 'count', group_by: ['tool'], drawn: 'groups' },
  ]
  for (const chart of charts) assert.deepEqual(toViewChart(fromViewChart(chart)), chart)
})

test('statistics of an address have the names of the API', () => {
  assert.equal(toViewChart({ measure: 'error_rate', stat: 'errors' }).stat, 'sum')
  assert.equal(toViewChart({ measure: 'steps.duration_ms', stat: 'avg' }).stat, 'mean')
})

test('a single bucket of the whole time is no bucket of an address', () => {
  assert.equal(fromViewChart({ rows: 'steps', measure: 'count', bucket: 'all' }).bucket, undefined)
})

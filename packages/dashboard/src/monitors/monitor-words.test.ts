import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MonitorPreviewResult } from '@spoor/contract/schemas/monitor'
import { conditionWords, filterWords, firings, formatMonitorValue, previewSentence } from './monitor-words.ts'

const HOUR = 3_600_000
const iso = (time: number) => new Date(time).toISOString()

test('a monitor is described in one line', () => {
  const passRate = {
    source: { kind: 'metric', metric: 'solved' },
    aggregation: 'pass_rate',
    comparison: 'lt',
    threshold: 0.5,
    window_seconds: 3600,
    for_each: null,
  } as const
  assert.equal(conditionWords(passRate), 'pass rate of solved < 50% over 1 h')
  const slow = {
    source: { kind: 'traces', measure: 'duration_ms' },
    aggregation: 'p95',
    comparison: 'gte',
    threshold: 90_000,
    window_seconds: 900,
    for_each: 'step_name',
  } as const
  assert.equal(
    conditionWords(slow),
    '95th percentile of the duration of traces ≥ 1 min 30 s over 15 min, for each step name',
  )
  const first = { ...slow, source: { kind: 'steps', measure: 'time_to_first_token_ms' }, for_each: null } as const
  assert.equal(conditionWords(first), '95th percentile of the time to first token of steps ≥ 1 min 30 s over 15 min')
  const dear = {
    ...slow,
    source: { kind: 'traces', measure: 'wasted_cost_usd' },
    aggregation: 'sum',
    threshold: 0.5,
  } as const
  assert.equal(conditionWords(dear), 'sum of the wasted cost of traces ≥ $0.50 over 15 min, for each step name')
  assert.equal(formatMonitorValue({ source: { kind: 'traces', measure: 'error_rate' }, aggregation: 'sum' }, 3), '3')
  assert.deepEqual(filterWords({ filters: { run_type: 'agent', metadata: { env: 'prod', task: null } } }), [
    'run_type: agent',
    'env: "prod"',
    'task: any',
  ])
})

function preview(states: readonly ('normal' | 'fired')[], samples = 1): MonitorPreviewResult {
  const evaluations = states.map((state, index) => ({ at: iso(index * HOUR), group: null, value: 0, samples, state }))
  const transitions = states.flatMap((to, index) =>
    to === (states[index - 1] ?? 'normal') ? [] : [{ at: iso(index * HOUR), group: null, to, value: 0 }],
  )
  return { evaluations, transitions, step_seconds: 3600 }
}

test('a firing lasts until it is resolved, or until the end', () => {
  const result = preview(['normal', 'fired', 'fired', 'normal', 'fired', 'fired'])
  assert.deepEqual(firings(result), [
    { from: HOUR, to: 3 * HOUR },
    { from: 4 * HOUR, to: 5 * HOUR },
  ])
  assert.equal(previewSentence(result), 'Would have fired twice, for 3 h in total, and would be firing now.')
})

test('a preview says if nothing fired, and if there was no data', () => {
  assert.equal(previewSentence(preview(['normal', 'normal'])), 'Would not have fired.')
  assert.equal(previewSentence(preview(['normal', 'fired', 'normal'])), 'Would have fired once, for 1 h in total.')
  assert.equal(previewSentence(preview(['normal'], 0)), 'No data in this range.')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import {
  draftOfMonitor,
  fitToSource,
  forEachFields,
  isComplete,
  newMonitorDraft,
  toMonitor,
  toMonitorPatch,
  toThreshold,
} from './monitor-draft.ts'

const MONITOR: Monitor = {
  id: 'mon_00000000000000000000000000',
  name: 'Rude',
  source: { kind: 'metric', metric: 'tone', option: 'rude' },
  filters: { run_type: 'agent', metadata: { env: 'prod', task: null, text: '7' } },
  for_each: 'run_type',
  aggregation: 'share',
  window_seconds: 7200,
  comparison: 'gt',
  threshold: 0.2,
  resolve_threshold: 0.1,
  min_samples: 20,
  consecutive: 2,
  no_data: 'ok',
  enabled: true,
  state: 'normal',
  state_since: '2026-01-01T00:00:00.000Z',
  last_value: null,
  last_samples: null,
  last_evaluated_at: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  revision: 1,
}

const TONE: Metric = {
  id: 'met_00000000000000000000000000',
  name: 'tone',
  kind: 'enum',
  description: null,
  min: null,
  max: null,
  unit: null,
  options: [
    { value: 'polite', label: null },
    { value: 'rude', label: null },
  ],
  direction: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}

test('a monitor round-trips through the form', () => {
  const draft = draftOfMonitor(MONITOR)
  assert.deepEqual([draft.window, draft.windowUnit], ['2', 'h'])
  const {
    source,
    filters,
    for_each,
    aggregation,
    window_seconds,
    comparison,
    threshold,
    resolve_threshold,
    min_samples,
    consecutive,
    no_data,
    name,
  } = MONITOR
  assert.deepEqual(toMonitor(draft), {
    name,
    source,
    filters,
    for_each,
    aggregation,
    window_seconds,
    comparison,
    threshold,
    resolve_threshold,
    min_samples,
    consecutive,
    no_data,
  })
  assert.equal(toMonitorPatch(draft, MONITOR), null)
})

test('an update has only the changed fields; filters and source are replaced as a whole', () => {
  const draft = draftOfMonitor(MONITOR)
  assert.deepEqual(toMonitorPatch({ ...draft, name: 'Rudeness' }, MONITOR), { name: 'Rudeness' })
  assert.deepEqual(toMonitorPatch({ ...draft, resolveThreshold: '', filters: { run_type: 'agent' } }, MONITOR), {
    filters: { run_type: 'agent' },
    resolve_threshold: null,
  })
})

test('fields that the new source lacks are dropped', () => {
  const draft = {
    ...draftOfMonitor(MONITOR),
    filters: { status: 'error' as const },
    eventSource: 'llm' as const,
  }
  const traces = fitToSource({ ...draft, kind: 'traces', measure: 'duration_ms' }, undefined)
  assert.equal(traces.aggregation, 'p95')
  assert.deepEqual(toMonitor(traces).source, { kind: 'traces', measure: 'duration_ms' })
  assert.equal(toMonitor(traces).filters.status, 'error')
  assert.equal(toMonitor(traces).filters.source, undefined)
  const steps = fitToSource({ ...draft, kind: 'steps', measure: 'recovered_errors' }, undefined)
  assert.deepEqual(toMonitor(steps).source, { kind: 'steps', measure: 'error_rate' })
  const first = { ...steps, measure: 'time_to_first_token_ms' as const, aggregation: 'p95' as const }
  const rate = fitToSource({ ...first, kind: 'traces' }, undefined)
  assert.deepEqual([rate.measure, rate.aggregation], ['error_rate', 'avg'])
  assert.equal(fitToSource({ ...steps, kind: 'metric', forEach: 'tool' }, TONE).forEach, '')
  for (const forEach of ['user_id', 'cluster', 'metric.tone'] as const) {
    for (const kind of ['metric', 'traces'] as const) {
      assert.equal(fitToSource({ ...steps, kind, forEach }, TONE).forEach, forEach)
    }
  }
  const offered = forEachFields('metric', [TONE, { ...TONE, name: 'rated', kind: 'numeric' }])
  assert.deepEqual(
    offered.map(({ value }) => value).filter((value) => /^(tool|cluster|source|metric[.].*)$/.test(value)),
    ['cluster', 'metric.tone', 'source'],
  )
  const counted = toMonitor({ ...draft, aggregation: 'count' })
  assert.deepEqual(
    [counted.source, counted.min_samples, counted.no_data],
    [{ kind: 'metric', metric: 'tone' }, 1, 'hold'],
  )
  assert.equal(fitToSource({ ...draft, option: 'gone' }, TONE).option, 'polite')
})

test('a preview needs a source, a window and a threshold', () => {
  const draft = newMonitorDraft({})
  assert.equal(isComplete(draft), false)
  assert.equal(isComplete({ ...draft, threshold: '0.2' }), true)
  assert.equal(isComplete({ ...newMonitorDraft({ metric: 'solved' }), threshold: '1', metric: '' }), false)
})

test('an invalid number is sent as typed', () => {
  const monitor = toMonitor({ ...newMonitorDraft({}), threshold: 'many', window: '', minSamples: '2,5' })
  assert.deepEqual([monitor.threshold, monitor.window_seconds, monitor.min_samples], ['many', '', 2.5])
})

test('a threshold of a share can be a percentage; other thresholds cannot', () => {
  for (const [text, share] of [
    ['90%', 0.9],
    [' 33.3 %', 0.333],
    ['7%', 0.07],
    ['0,5 %', 0.005],
    ['0.9', 0.9],
  ] as const) {
    const draft = { ...newMonitorDraft({ metric: 'solved' }), threshold: text, resolveThreshold: text }
    assert.deepEqual([toMonitor(draft).threshold, toMonitor(draft).resolve_threshold], [share, share], text)
  }
  for (const text of ['%', 'x%', '1.2.3%', '%5']) assert.equal(toThreshold(text, true), text)
  const draft = { ...newMonitorDraft({ measure: 'duration_ms' }), threshold: '90%' }
  assert.equal(toMonitor(draft).threshold, '90%')
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import { latestFiring, runsBehind, tracesBehind, whyOf } from './traces-behind.ts'

const AT = '2026-11-25T12:00:00.000Z'
const WINDOW = { from: '2026-11-25T11:00:00.000Z', to: AT }

const OF_ALL = { for_each: null, aggregation: 'avg', window_seconds: 3600, threshold: 3 } as const

function behind(source: Monitor['source'], comparison: Monitor['comparison'], filters: Monitor['filters'] = {}) {
  return tracesBehind({ ...OF_ALL, source, filters, comparison }, AT)
}

test('the traces of the window, those first that moved the value', () => {
  assert.deepEqual(behind({ kind: 'traces', measure: 'count' }, 'gt'), WINDOW)
  assert.deepEqual(behind({ kind: 'traces', measure: 'error_rate' }, 'gt'), { ...WINDOW, status: 'error' })
  assert.deepEqual(behind({ kind: 'traces', measure: 'error_rate' }, 'lt'), WINDOW)
  assert.deepEqual(behind({ kind: 'traces', measure: 'duration_ms' }, 'gte'), { ...WINDOW, sort: 'duration_ms' })
  assert.deepEqual(behind({ kind: 'traces', measure: 'cost_usd' }, 'gt'), { ...WINDOW, sort: 'cost_usd' })
  assert.deepEqual(behind({ kind: 'traces', measure: 'total_tokens' }, 'lte'), {
    ...WINDOW,
    sort: 'total_tokens',
    order: 'asc',
  })
})

test('the filters of the monitor are those of the list', () => {
  const filters = { run_type: 'agent', model: 'gpt-4o', metadata: { env: 'prod', tries: 2, beta: null } }
  assert.deepEqual(behind({ kind: 'traces', measure: 'count' }, 'gt', filters), {
    ...WINDOW,
    run_type: 'agent',
    model: 'gpt-4o',
    meta: [['env', 'prod'], ['tries', '2'], ['beta']],
  })
})

test('of a group, or of steps, the rows of that group', () => {
  const monitor = { ...OF_ALL, filters: { user_id: 'u1' }, for_each: 'tool', comparison: 'gt' } as const
  const source = { kind: 'steps', measure: 'error_rate' } as const
  const shown = { ...WINDOW, as: 'steps', user_id: 'u1', step_status: 'error', tool: 'search' }
  assert.deepEqual(tracesBehind({ ...monitor, source }, AT, 'search'), shown)
  const each = (for_each: 'cluster' | 'metric.verdict', group: string, filters: Monitor['filters'] = {}) => {
    const traces = { kind: 'traces', measure: 'count' } as const
    return tracesBehind({ ...monitor, source: traces, filters, for_each }, AT, group)
  }
  assert.deepEqual(each('cluster', 'clu_1'), { ...WINDOW, cluster: 'clu_1' })
  assert.deepEqual(each('metric.verdict', 'good'), { ...WINDOW, metric: 'verdict', option: 'good' })
  assert.deepEqual(each('metric.verdict', 'true'), { ...WINDOW, metric: 'verdict', passed: true })
})

test('of a metric, the traces with such a score in the window, whenever they were created', () => {
  const scoredThen = {
    range: 'all',
    event_start_time: '2026-11-25T11:00:00.001Z',
    event_end_time: '2026-11-25T12:00:00.001Z',
    metric: 'solved',
  }
  const scored = (change: Partial<Parameters<typeof tracesBehind>[0]>, group: string | null = null) => {
    const source = { kind: 'metric', metric: 'solved', option: 'rude' } as const
    return tracesBehind({ ...OF_ALL, source, filters: {}, comparison: 'lt', ...change }, AT, group)
  }
  assert.deepEqual(scored({ aggregation: 'pass_rate' }), { ...scoredThen, passed: false })
  assert.deepEqual(scored({ aggregation: 'pass_rate', comparison: 'gt' }), { ...scoredThen, passed: true })
  assert.deepEqual(scored({ aggregation: 'share', comparison: 'gte' }), { ...scoredThen, option: 'rude' })
  assert.deepEqual(scored({ aggregation: 'p95', comparison: 'gt' }), { ...scoredThen, min_value: 3 })
  assert.deepEqual(scored({ aggregation: 'max' }), { ...scoredThen, max_value: 3 })
  assert.deepEqual(scored({ filters: { model: 'gpt-4o' } }), { ...scoredThen, model: 'gpt-4o' })
  assert.deepEqual(scored({ for_each: 'model' }, 'gpt-4o'), { ...scoredThen, model: 'gpt-4o' })
  assert.deepEqual(scored({ filters: { cluster: 'none', min_cost_usd: 1 } }), {
    ...scoredThen,
    cluster: 'none',
    min_cost_usd: 1,
  })
  // Lists have no filter by two events, nor by the source or the metadata of an event.
  assert.equal(scored({ filters: { metric: 'rated' } }), null)
  assert.equal(scored({ filters: { source: 'human' } }), null)
  assert.equal(scored({ filters: { metadata: { env: 'prod' } } }), null)
  assert.equal(scored({ for_each: 'source' }, 'human'), null)
  assert.equal(scored({ for_each: 'metric.verdict' }, 'good'), null)
})

test('why a pass rate fell is asked of all scored runs; of other scores, why those runs fail', () => {
  const [rows, scored] = [
    { kind: 'traces', measure: 'error_rate' },
    { kind: 'metric', metric: 'solved' },
  ] as const
  const search = { ...WINDOW, metric: 'solved', passed: false }
  assert.deepEqual(whyOf({ source: scored, aggregation: 'pass_rate' }, search), {
    search: { ...WINDOW, metric: 'solved' },
    failureBy: 'metric:solved',
  })
  assert.deepEqual(whyOf({ source: scored, aggregation: 'p95' }, { ...WINDOW, metric: 'solved', min_value: 3 }), {
    search: { ...WINDOW, metric: 'solved' },
    failureBy: null,
  })
  assert.deepEqual(whyOf({ source: rows, aggregation: 'avg' }, search), { search, failureBy: 'status' })
  assert.equal(whyOf({ source: rows, aggregation: 'avg' }, null), null)
})

test('why is asked of the runs of the group, and without conditions on events that lists do not know', () => {
  const rows = { ...OF_ALL, source: { kind: 'traces', measure: 'error_rate' }, comparison: 'gt' } as const
  const model = { ...rows, filters: { user_id: 'u1' }, for_each: 'model' } as const
  assert.deepEqual(runsBehind(model, AT, 'gpt-4o'), { ...WINDOW, user_id: 'u1', model: 'gpt-4o' })
  const scored = { ...OF_ALL, source: { kind: 'metric', metric: 'solved' }, comparison: 'lt' } as const
  const filters = { model: 'gpt-4o', source: 'human', metadata: { env: 'prod' } } as const
  const whole = tracesBehind({ ...scored, filters: { model: 'gpt-4o' } }, AT)
  assert.equal(whole?.model, 'gpt-4o')
  assert.deepEqual(runsBehind({ ...scored, filters, for_each: 'source' }, AT, 'human'), whole)
})

test('a monitor with groups fired when the latest of them did', () => {
  const standing = { last_value: 1, last_samples: 1 } as const
  const groups = [
    { ...standing, group: 'a', state: 'fired', state_since: '2026-11-25T11:00:00.000Z' },
    { ...standing, group: 'b', state: 'fired', state_since: '2026-11-25T11:30:00.000Z' },
    { ...standing, group: 'c', state: 'normal', state_since: AT },
  ] as const
  const since = { state_since: '2026-11-25T10:00:00.000Z' }
  assert.deepEqual(latestFiring({ ...since, groups: [...groups] }), { at: '2026-11-25T11:30:00.000Z', group: 'b' })
  assert.deepEqual(latestFiring(since), { at: since.state_since, group: null })
})

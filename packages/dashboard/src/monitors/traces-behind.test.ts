import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import { tracesBehind } from './traces-behind.ts'

const AT = '2026-11-25T12:00:00.000Z'
const WINDOW = { from: '2026-11-25T11:00:00.000Z', to: AT }

function behind(source: Monitor['source'], comparison: Monitor['comparison'], filters: Monitor['filters'] = {}) {
  return tracesBehind({ source, filters, for_each: null, window_seconds: 3600, comparison }, AT)
}

test('the traces of the window, those first that moved the value', () => {
  assert.deepEqual(behind({ kind: 'traces', measure: 'count' }, 'gt'), WINDOW)
  assert.deepEqual(behind({ kind: 'traces', measure: 'error_rate' }, 'gt'), { ...WINDOW, status: 'error' })
  assert.deepEqual(behind({ kind: 'traces', measure: 'error_rate' }, 'lt'), WINDOW)
  assert.deepEqual(behind({ kind: 'traces', measure: 'duration_ms' }, 'gte'), { ...WINDOW, sort: 'duration_ms' })
  assert.deepEqual(behind({ kind: 'traces', measure: 'total_tokens' }, 'lte'), {
    ...WINDOW,
    sort: 'total_tokens',
    order: 'asc',
  })
  assert.equal(behind({ kind: 'metric', metric: 'solved' }, 'lt'), null)
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
  const monitor = { filters: { user_id: 'u1' }, for_each: 'tool', window_seconds: 3600, comparison: 'gt' } as const
  const source = { kind: 'steps', measure: 'error_rate' } as const
  const shown = { ...WINDOW, as: 'steps', user_id: 'u1', step_status: 'error', tool: 'search' }
  assert.deepEqual(tracesBehind({ ...monitor, source }, AT, 'search'), shown)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import { tracesBehind } from './traces-behind.ts'

const AT = '2026-11-25T12:00:00.000Z'
const WINDOW = { from: '2026-11-25T11:00:00.000Z', to: AT }

function behind(source: Monitor['source'], comparison: Monitor['comparison'], filters: Monitor['filters'] = {}) {
  return tracesBehind({ source, filters, window_seconds: 3600, comparison }, AT)
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monitorSearch } from './search.ts'

test('valid parameters of a monitor screen are parsed, and invalid ones dropped', () => {
  const search = { create: true, metric: 'solved', measure: 'count', state: 'fired', q: 'a', range: '7d' } as const
  assert.deepEqual(monitorSearch(search), search)
  const filters = { cluster: 'none', min_cost_usd: 0.5, meta: [['env', 'prod']] } as const
  assert.deepEqual(monitorSearch({ create: true, steps: true, filters }), { create: true, steps: true, filters })
  assert.deepEqual(monitorSearch({ steps: 'yes', filters: 'env' }), {})
  assert.deepEqual(monitorSearch({ metric: 7, q: 1 }), { metric: '7', q: '1' })
  assert.deepEqual(monitorSearch({ create: 'yes', metric: [], measure: 'input_tokens', state: 'odd', range: '1y' }), {})
})

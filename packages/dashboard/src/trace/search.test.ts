import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceSearch } from './search.ts'

test('the URL keeps valid parameters', () => {
  const step = `st_${'0'.repeat(26)}`
  assert.deepEqual(traceSearch({ step, q: 'late', view: 'trace' }), { step, q: 'late', view: 'trace' })
  assert.deepEqual(traceSearch({ led_to: step }), { led_to: step })
  assert.deepEqual(traceSearch({ tab: 'json' }), { tab: 'json' })
  assert.deepEqual(traceSearch({ tab: 'steps' }), {}, 'the default is left out')
  assert.deepEqual(traceSearch({ q: 42 }), { q: '42' })
  assert.deepEqual(traceSearch({ step: 'st_"><b>', led_to: 'st_1', q: '', view: 'map', other: 1 }), {})
})

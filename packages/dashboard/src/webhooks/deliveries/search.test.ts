import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webhookSearch } from './search.ts'

test('the URL keeps the filters of the list, and drops other parameters', () => {
  const search = { event: 'ping', status: 'failed', delivery: 'dlv_1', range: '24h' }
  assert.deepEqual(webhookSearch({ ...search, other: 1 }), search)
  assert.deepEqual(webhookSearch({ event: 'constructor', status: 7, delivery: '../x', range: 'x' }), {})
})

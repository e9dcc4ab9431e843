import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedPath } from './feed.ts'

test('metadata values follow their keys, also if some keys have no value', () => {
  const metadata = [['env', 'prod'], ['release'], ['task', '"1" & 2']] as const
  const path = feedPath('/v1/traces', { filters: { status: 'error', q: undefined }, metadata }, { limit: 5 })
  const pairs = [...new URL(path, 'http://localhost').searchParams]
  assert.deepEqual(pairs, [
    ['status', 'error'],
    ['limit', '5'],
    ['meta_key', 'env'],
    ['meta_value', 'prod'],
    ['meta_key', 'release'],
    ['meta_key', 'task'],
    ['meta_value', '"1" & 2'],
  ])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLLOWED_MS, growthOf } from './growth.ts'

const at = '2026-01-01T00:00:00.000Z'
const now = Date.parse(at) + FOLLOWED_MS - 1
const ended = { growing: false, root_seen: true, started_at: at, duration_ms: 5, updated_at: at }

test('a run without an end is running while something of it came lately', () => {
  const label = (row: object, time = now) => growthOf({ ...ended, ...row }, time)?.label
  assert.equal(label({}), undefined)
  assert.equal(label({ duration_ms: null }), 'running')
  assert.equal(label({ duration_ms: null }, now + 1), undefined)
  assert.equal(label({ duration_ms: null, started_at: null }), undefined, 'its sender reports no times')
  assert.equal(label({ growing: true, root_seen: false }), 'running', 'a span without its root')
  assert.equal(label({ growing: true, root_seen: false }, now + 1), 'root not seen')
  assert.equal(label({ growing: true }), 'growing')
})

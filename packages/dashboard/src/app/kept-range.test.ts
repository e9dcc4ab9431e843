import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimeRangeSearch } from '../lib/time-range.ts'
import { keepRange, noteRange } from './kept-range.ts'

test('an address without a range gets the last one, of any screen', () => {
  const opened = (wanted: TimeRangeSearch & { readonly q?: string }) => keepRange({ search: {}, next: () => wanted })
  assert.deepEqual(opened({ q: 'a' }), { q: 'a' })
  noteRange({ range: '24h', sort: 'name' })
  assert.deepEqual(opened({ q: 'a' }), { q: 'a', range: '24h' })
  assert.deepEqual(opened({ range: 'all' }), { range: 'all' })
  noteRange({ tab: 'json', range: 'long ago' })
  assert.deepEqual(opened({}), { range: '24h' })
  const between = { from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' }
  noteRange(between)
  assert.deepEqual(opened({}), between)
  assert.deepEqual(opened({ range: '7d' }), { range: '7d' })
})

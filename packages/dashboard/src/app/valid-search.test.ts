import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validSearch } from './valid-search.ts'

test('what a screen drops from an address hides what the address says', () => {
  const read = validSearch(({ q }): { q?: string } => (typeof q === 'string' ? { q } : {}))
  assert.deepEqual({ q: 1, meta: 'env', ...read({ q: 1, meta: 'env' }) }, { q: undefined, meta: undefined })
  assert.deepEqual({ q: 'a', ...read({ q: 'a' }) }, { q: 'a' })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COLUMN_IDS, storeColumns, storedColumns } from './columns.ts'

function storage(stored: string | null) {
  const kept = { text: stored }
  return { getItem: () => kept.text, setItem: (_key: string, text: string) => (kept.text = text) }
}

test('chosen columns are restored in table order, always with the name', () => {
  const kept = storage(null)
  storeColumns(kept, ['user_id', 'status'])
  assert.deepEqual(storedColumns(kept), ['status', 'name', 'user_id'])
})

test('invalid stored columns are ignored', () => {
  const usual = storedColumns(storage(null))
  assert.ok(usual.includes('metadata') && !usual.includes('session_id'))
  for (const nonsense of ['{', '7', '{"a":1}']) assert.deepEqual(storedColumns(storage(nonsense)), usual)
  assert.deepEqual(storedColumns(storage('["nothing"]')), ['name'])
  assert.equal(storedColumns(storage(JSON.stringify(COLUMN_IDS))).length, COLUMN_IDS.length)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsSearch } from './search.ts'

test('the URL keeps the section and the model of a price, and drops other parameters', () => {
  assert.deepEqual(settingsSearch({ tab: 'prices', model: 'a/b', x: 1 }), { tab: 'prices', model: 'a/b' })
  assert.deepEqual(settingsSearch({ tab: 'keys', model: 'a/b' }), { tab: 'keys' })
  assert.deepEqual(settingsSearch({ tab: 'constructor', model: 7 }), {})
})

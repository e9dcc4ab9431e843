import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILTER_FIELDS } from './search.ts'
import { hasFacets } from './use-suggestions.ts'

test('the service is asked for values of the fields that it suggests, and of no others', () => {
  assert.deepEqual(FILTER_FIELDS.filter((field) => hasFacets(field) && !field.startsWith('not_')).sort(), [
    'error_type',
    'model',
    'name',
    'run_type',
    'session_id',
    'user_id',
  ])
  assert.equal(hasFacets('not_model'), true)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FILTER_FIELDS } from './search.ts'
import { facetRows } from './use-suggestions.ts'

test('the service is asked for values of the fields that it suggests, and of no others', () => {
  const asked = (rows: string) =>
    FILTER_FIELDS.filter((field) => facetRows(field) === rows && !field.startsWith('not_'))
  assert.deepEqual(asked('traces').sort(), ['error_type', 'model', 'name', 'run_type', 'session_id', 'user_id'])
  assert.deepEqual(asked('steps').sort(), ['step_error_type', 'step_model', 'step_name', 'step_type', 'tool'])
  assert.equal(facetRows('not_model'), 'traces')
  assert.equal(facetRows('not_argument'), 'steps')
})

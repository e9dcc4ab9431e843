import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOfId } from './time-of-id.ts'

test('an id tells when it was made', () => {
  assert.equal(new Date(timeOfId('tr_01m80dfxahft8vwy2fas9712qf')).toISOString(), '2026-11-22T01:21:22.769Z')
  assert.equal(timeOfId('clu_0000000001zzzzzzzzzzzzzzzz'), 1)
})

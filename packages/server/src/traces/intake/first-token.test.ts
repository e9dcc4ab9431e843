import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeToFirstToken } from './first-token.ts'

const BEGIN = Date.parse('2026-01-31T11:00:00.000Z')

test('the time to the first token is known from a duration or from a time, by the names of several senders', () => {
  const known = (metadata: Record<string, unknown>, startedAt: number | null = BEGIN) =>
    timeToFirstToken(metadata, startedAt)
  assert.equal(known({ time_to_first_token_ms: 320.4 }, null), 320)
  assert.equal(known({ 'ai.response.msToFirstChunk': 0 }), 0)
  assert.equal(known({ 'gen_ai.response.time_to_first_chunk': 0.25 }), 250)
  assert.equal(known({ 'langfuse.observation.completion_start_time': '"2026-01-31T11:00:00.410Z"' }), 410)
  assert.equal(known({ 'langsmith.first_token_time': '2026-01-31T11:00:01.000000' }), 1000)
  assert.equal(known({ 'langsmith.first_token_time': '2026-01-31T13:00:01+02:00' }), 1000)
})

test('it is unknown without a begin, before the begin, and from values that are none', () => {
  const at = { 'langsmith.first_token_time': '2026-01-31T11:00:01Z' }
  assert.deepEqual([timeToFirstToken(at, null), timeToFirstToken(at, BEGIN + 1001)], [null, null])
  for (const value of [-1, 'soon', null, Number.MAX_VALUE, {}])
    assert.equal(timeToFirstToken({ time_to_first_token_ms: value }, BEGIN), null)
  assert.equal(timeToFirstToken({ 'langsmith.first_token_time': 'soon' }, BEGIN), null)
  assert.equal(timeToFirstToken(undefined, BEGIN), null)
})

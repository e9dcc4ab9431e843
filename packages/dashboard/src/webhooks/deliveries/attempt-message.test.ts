import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptMessage } from './delivery-words.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const TRIED = { attempt_count: 3, last_response_status: null, last_error: null, next_attempt_at: null }

test('the outcome of an attempt is shown with the time of the next one', () => {
  const next_attempt_at = new Date(NOW + 240_000).toISOString()
  assert.deepEqual(attemptMessage({ ...TRIED, status: 'succeeded', last_response_status: 204 }, NOW), {
    kind: 'ok',
    text: 'Delivered: the receiver responded with 204.',
  })
  assert.deepEqual(attemptMessage({ ...TRIED, status: 'pending', last_response_status: 503, next_attempt_at }, NOW), {
    kind: 'fail',
    text: 'The attempt failed: the receiver responded with 503. Next attempt in 4 min.',
  })
  assert.deepEqual(attemptMessage({ ...TRIED, status: 'failed', last_error: 'connection_refused' }, NOW), {
    kind: 'fail',
    text: 'The attempt failed: connection refused.',
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureInWords } from './failure-words.ts'

test('each measure of failure is said in words', () => {
  assert.deepEqual(['status', 'metric:task solved', 'metadata:reward=0'].map(failureInWords), [
    'status error',
    'metric task solved not passed',
    'metadata reward = 0',
  ])
})

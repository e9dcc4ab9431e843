import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluationInterval } from './due-times.ts'

test('evaluation times leave a round a fifth of the detection target, at most 6 seconds', () => {
  assert.deepEqual(
    [1000, 15_000, 30_000, 31_000, 3_600_000].map(evaluationInterval),
    [800, 12_000, 24_000, 25_000, 3_594_000],
  )
  for (let seconds = 1; seconds <= 3600; seconds++) assert.ok(Number.isInteger(evaluationInterval(seconds * 1000)))
})

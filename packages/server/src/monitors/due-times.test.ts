import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluationInterval } from './due-times.ts'

test('evaluation times leave a round 3 seconds of the time within which a crossing is told, or a fifth of it', () => {
  assert.deepEqual(
    [1000, 5000, 15_000, 16_000, 30_000, 3_600_000].map(evaluationInterval),
    [800, 4000, 12_000, 13_000, 27_000, 3_597_000],
  )
  for (let seconds = 1; seconds <= 3600; seconds++) assert.ok(Number.isInteger(evaluationInterval(seconds * 1000)))
})

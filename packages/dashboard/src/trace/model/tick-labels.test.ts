import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelsThatFit } from './tick-labels.ts'

test('a label without space is left out: over the one before, at the end, or over what is there', () => {
  const ticks = [0, 0.25, 0.5, 0.75, 0.98].map((at) => ({ at, label: '1 min 2.35 s' }))
  assert.deepEqual([...labelsThatFit(ticks, 1000, 0)], [0, 0.25, 0.5, 0.75])
  assert.deepEqual([...labelsThatFit(ticks, 300, 0)], [0, 0.5])
  assert.deepEqual(
    [...labelsThatFit(ticks, 300, 60)],
    [0, 0.5].filter((at) => at * 300 + 88 <= 240),
  )
  assert.deepEqual([...labelsThatFit(ticks, 0, 0)], [])
})

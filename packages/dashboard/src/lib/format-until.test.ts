import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatUntil } from './format-time.ts'

test('times in the future are coarser the farther they are', () => {
  const expected = [
    [-60_000, 'due'],
    [500, 'now'],
    [25_300, 'in 25 s'],
    [185_000, 'in 3 min'],
    [7_465_000, 'in 2 h 4 min'],
    [30 * 86_400_000 + 5, 'in 30 d'],
  ] as const
  for (const [left, text] of expected) assert.equal(formatUntil(1_000_000 + left, 1_000_000), text)
})

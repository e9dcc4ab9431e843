import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spanOf, toBars, widen } from './histogram-bars.ts'

const at = (ms: number) => new Date(ms).toISOString()

test('each bucket has a bar by status, and the outer ones are cut', () => {
  const points = [
    { at: at(1000), group: 'error', count: 2 },
    { at: at(1000), group: 'ok', count: 3 },
    { at: at(3000), group: 'ok', count: 1 },
  ]
  assert.deepEqual(toBars({ from: 1500, to: 3200, bucket: '1s', points }), [
    { from: 1500, to: 2000, ok: 3, error: 2 },
    { from: 2000, to: 3000, ok: 0, error: 0 },
    { from: 3000, to: 3200, ok: 1, error: 0 },
  ])
})

test('weeks start on Mondays of the reader', () => {
  const week = 7 * 86_400_000
  const monday = new Date(2026, 0, 5).getTime()
  const points = [{ at: at(monday + week), group: 'ok', count: 4 }]
  const bars = toBars({ from: monday + 86_400_000, to: monday + 2 * week, bucket: '1w', points })
  assert.deepEqual(
    bars.map(({ to, ok }) => [to, ok]),
    [
      [monday + week, 0],
      [monday + 2 * week, 4],
    ],
  )
})

test('a span of bars is a time range, in both directions', () => {
  const bars = toBars({ from: 0, to: 5000, bucket: '1s', points: [] })
  assert.equal(bars.length, 5)
  assert.deepEqual(spanOf(bars, 3, 1), { from: 1000, to: 4000 })
  assert.equal(spanOf(bars, 1, 9), null)
})

test('widening does not reach into the future', () => {
  assert.deepEqual(widen(1000, 2000, 2500), { from: 0, to: 2500 })
  assert.deepEqual(widen(1000, 2000, 9000), { from: 0, to: 3000 })
})

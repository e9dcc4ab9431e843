import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../lib/manual-timers.test-support.ts'
import { ReturnTimes } from './return-times.ts'

function many(times: ReturnTimes, count: number): number[] {
  return Array.from({ length: count }, () => times.next())
}

test('the first come again after a second, those behind them later, so many a second', () => {
  const times = new ReturnTimes(new ManualTimers())
  const seconds = many(times, 500)
  assert.deepEqual([seconds[0], seconds[199], seconds[200], seconds[399], seconds[400]], [1, 1, 2, 2, 3])
})

test('nobody is sent away for more than ten seconds', () => {
  const times = new ReturnTimes(new ManualTimers())
  assert.equal(Math.max(...many(times, 5000)), 10)
})

test('as time passes there is room again, and nothing is left running', () => {
  const timers = new ManualTimers()
  const times = new ReturnTimes(timers)
  many(times, 500)
  timers.advance(1000)
  assert.equal(times.next(), 2)
  timers.advance(10_000)
  assert.equal(timers.pending, 0)
  assert.equal(times.next(), 1)
})

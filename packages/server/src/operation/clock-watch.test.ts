import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualTimers } from '../lib/time/manual-timers.test-support.ts'
import { type ClockStep, ClockWatch } from './clock-watch.ts'

const NOON = Date.UTC(2026, 2, 1, 12)
const MINUTE = 60_000

function world(lastCommittedAt: number | null) {
  const timers = new ManualTimers()
  const steps: ClockStep[] = []
  const clock = { aheadMs: NOON, now: () => timers.now() + clock.aheadMs }
  const watch = new ClockWatch({ clock, timers, lastCommittedAt, onStep: (step) => steps.push(step) })
  return { timers, clock, watch, steps }
}

test('a clock more than a minute behind the last commit is reported at the start', () => {
  assert.deepEqual(world(NOON + MINUTE + 1).steps, [{ expectedMs: NOON + MINUTE + 1, clockMs: NOON }])
  for (const last of [null, NOON + MINUTE, NOON - 40 * MINUTE]) assert.deepEqual(world(last).steps, [])
})

test('each step of the clock, forward or back, is reported once; normal progress is not', () => {
  const { timers, clock, watch, steps } = world(NOON)
  const look = () => {
    timers.advance(30_000)
    watch.look()
  }
  look()
  clock.aheadMs += MINUTE
  look()
  assert.equal(steps.length, 0)
  clock.aheadMs += 60 * MINUTE
  look()
  look()
  const { aheadMs } = clock
  clock.aheadMs -= 60 * MINUTE
  look()
  look()
  assert.deepEqual(
    steps.map(({ expectedMs, clockMs }) => clockMs - expectedMs),
    [60 * MINUTE, -60 * MINUTE],
  )
  assert.equal(steps[1]?.expectedMs, aheadMs + timers.now() - 30_000)
})

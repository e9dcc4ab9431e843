import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisAround, barOf, ticksOf, wholeAxis } from './time-scale.ts'

const NO_BOUNDS = { start: NaN, end: NaN }

test('the axis covers the trace and its steps, and bars are shares of it', () => {
  const times = { starts: [100, 150, NaN], ends: [300, 200, NaN] }
  const axis = wholeAxis(times, { start: 100, end: 500 })
  assert.deepEqual(axis, { kind: 'time', start: 100, end: 500 })
  assert.deepEqual(barOf(times, 1, axis), { left: 0.125, width: 0.125, guessed: false })
  assert.deepEqual(barOf(times, 2, axis), { left: 0.25, width: 0, guessed: true })
})

test('steps without times, or with only one time, are drawn in order', () => {
  const times = { starts: [NaN, NaN, NaN, NaN], ends: [NaN, NaN, NaN, NaN] }
  const axis = wholeAxis(times, NO_BOUNDS)
  assert.deepEqual(axis, { kind: 'order', start: 0, end: 4 })
  assert.deepEqual(barOf(times, 1, axis), { left: 0.25, width: 0.25, guessed: false })
  assert.equal(wholeAxis({ starts: [5], ends: [5] }, NO_BOUNDS).kind, 'order')
  assert.equal(wholeAxis({ starts: [], ends: [] }, NO_BOUNDS).kind, 'order')
})

test('ticks are round and relative to the start of the trace', () => {
  const labels = (start: number, end: number, origin = start) =>
    ticksOf({ kind: 'time', start, end }, origin, 5).map(({ label }) => label)
  assert.deepEqual(labels(1000, 10_000), ['0', '2 s', '4 s', '6 s', '8 s'])
  assert.deepEqual(labels(0, 148), ['0', '50 ms', '100 ms'])
  assert.deepEqual(labels(0, 7000), ['0', '2 s', '4 s', '6 s'])
  assert.deepEqual(labels(0, 2100), ['0', '500 ms', '1 s', '1.5 s', '2 s'])
  assert.deepEqual(labels(0, 0.9), ['0', '0.2 ms', '0.4 ms', '0.6 ms', '0.8 ms'])
  assert.deepEqual(labels(0, 300_000), ['0', '1 min', '2 min', '3 min', '4 min', '5 min'])
  assert.deepEqual(labels(950, 1950, 1000)[0], '0')
  assert.deepEqual(
    ticksOf({ kind: 'order', start: 0, end: 7 }, 0, 4).map(({ label }) => label),
    ['#1', '#3', '#5', '#7'],
  )
})

test('an axis around steps has a margin; without a duration there is none', () => {
  const times = { starts: [0, 100, NaN], ends: [1000, 200, NaN] }
  const whole = wholeAxis(times, NO_BOUNDS)
  assert.deepEqual(axisAround(times, [1], whole), { kind: 'time', start: 96, end: 204 })
  assert.equal(axisAround(times, [2], whole), null)
})

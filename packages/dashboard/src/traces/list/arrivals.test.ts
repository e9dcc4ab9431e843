import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Arrivals } from './arrivals.ts'

function world() {
  const due: (() => void)[] = []
  const arrivals = new Arrivals((_delayMs, run) => due.push(run))
  let notified = 0
  arrivals.subscribe(() => notified++)
  return { arrivals, due, pass: () => due.splice(0).forEach((run) => run()), notified: () => notified }
}

test('a thousand traces are one notification', () => {
  const { arrivals, due, pass, notified } = world()
  for (let i = 0; i < 1000; i++) arrivals.add()
  assert.deepEqual([arrivals.shown().count, due.length, notified()], [0, 1, 0])
  pass()
  assert.deepEqual([arrivals.shown(), notified()], [{ count: 1000, uncertain: false }, 1])
})

test('traces that could not be shown are counted again, with later ones', () => {
  const { arrivals, pass } = world()
  arrivals.add()
  arrivals.lose()
  pass()
  const before = arrivals.clear()
  assert.deepEqual(arrivals.shown(), { count: 0, uncertain: false })
  arrivals.add()
  arrivals.restore(before)
  pass()
  assert.deepEqual(arrivals.shown(), { count: 2, uncertain: true })
})

test('nothing is notified without arrivals', () => {
  const { arrivals, notified } = world()
  arrivals.clear()
  assert.equal(notified(), 0)
})

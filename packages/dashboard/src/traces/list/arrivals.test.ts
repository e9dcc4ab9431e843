import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Arrivals } from './arrivals.ts'

function world() {
  const due: (() => void)[] = []
  const arrivals = new Arrivals((_delayMs, run) => due.push(run))
  let told = 0
  arrivals.subscribe(() => told++)
  return { arrivals, due, pass: () => due.splice(0).forEach((run) => run()), told: () => told }
}

test('a thousand traces are told once', () => {
  const { arrivals, due, pass, told } = world()
  for (let i = 0; i < 1000; i++) arrivals.add()
  assert.deepEqual([arrivals.shown().count, due.length, told()], [0, 1, 0])
  pass()
  assert.deepEqual([arrivals.shown(), told()], [{ count: 1000, uncertain: false }, 1])
})

test('what could not be shown is counted again, with what has come since', () => {
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

test('nobody is told of nothing', () => {
  const { arrivals, told } = world()
  arrivals.clear()
  assert.equal(told(), 0)
})

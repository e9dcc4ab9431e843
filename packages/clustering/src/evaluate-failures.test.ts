import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { evaluateFailures } from './evaluate-failures.ts'

const count = (failed: number, traces: number) => ({ failed, traces })
const colorOf = (...[members, rest]: readonly [[number, number], [number, number]]) =>
  evaluateFailures(count(...members), count(...rest)).color

test('a cluster that fails materially more often than the rest is coloured', () => {
  assert.equal(colorOf([30, 100], [100, 1000]), 'fail')
  assert.equal(colorOf([12, 13], [60, 147]), 'fail')
  assert.equal(evaluateFailures(count(30, 100), count(100, 1000)).errorRate, 0.3)
})

test('few members are tested exactly', () => {
  assert.equal(colorOf([3, 3], [50, 100]), 'ok', 'one in eight by chance')
  assert.equal(colorOf([3, 3], [5, 100]), 'fail')
  assert.equal(colorOf([1, 1], [0, 20]), 'ok', 'one in 21')
  assert.equal(colorOf([2, 2], [0, 40]), 'fail')
})

test('a significant but slight difference is not coloured', () => {
  assert.equal(colorOf([5500, 10_000], [50_000, 100_000]), 'ok')
  assert.equal(colorOf([200, 10_000], [100, 100_000]), 'ok', 'twenty times the odds, and still 98 % are fine')
})

test('a cluster without others to compare with is not coloured', () => {
  assert.equal(colorOf([5, 5], [0, 0]), 'ok')
  assert.deepEqual(evaluateFailures(count(0, 0), count(5, 10)), { color: 'ok', judged: 0, errorRate: 0 })
  assert.equal(colorOf([50, 50], [100, 100]), 'ok')
  assert.equal(colorOf([0, 50], [0, 100]), 'ok')
})

test('one more failure never removes the colour', () => {
  const sizes = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 300 }), fc.nat(300), fc.nat(60))
  fc.assert(
    fc.property(sizes, ([traces, restTraces, restFailed, failed]) => {
      const rest = count(Math.min(restFailed, restTraces), restTraces)
      if (failed >= traces || evaluateFailures(count(failed, traces), rest).color === 'ok') return
      assert.equal(evaluateFailures(count(failed + 1, traces), rest).color, 'fail')
    }),
  )
})

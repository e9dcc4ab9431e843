import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Breaker, breakerAfter, type BreakerRules, CLOSED, moveBreaker } from './breaker.ts'

const RULES: BreakerRules = { failures: 3, firstMs: 1000, maxMs: 8000 }

type Event = Parameters<typeof moveBreaker>[1]

function run(from: Breaker, events: readonly Event[], now = 0): Breaker {
  return events.reduce((breaker, event) => moveBreaker(breaker, event, { rules: RULES, now, random: 0.5 }), from)
}

const OPEN = run(CLOSED, ['failure', 'failure', 'failure'])

test('consecutive failures open the breaker, and a success resets their count', () => {
  assert.equal(run(CLOSED, ['failure', 'failure']).state, 'closed')
  assert.deepEqual(OPEN, { state: 'open', failures: 3, backOffs: 1, retryAt: 750 })
  assert.deepEqual(run(CLOSED, ['failure', 'failure', 'success']), CLOSED)
  assert.equal(run(CLOSED, ['failure', 'failure', 'success', 'failure', 'failure']).state, 'closed')
  assert.equal(run(CLOSED, ['failure', 'failure', 'no_result', 'failure']).state, 'open')
})

test('a probe closes the breaker or begins a longer back-off, up to the maximum', () => {
  assert.deepEqual(run(OPEN, ['probe', 'success']), CLOSED)
  let breaker = OPEN
  const backOffs: number[] = []
  for (let index = 0; index < 5; index++) {
    const now = breaker.retryAt
    breaker = run(breaker, ['probe', 'failure'], now)
    assert.equal(breaker.state, 'open')
    backOffs.push(breaker.retryAt - now)
  }
  assert.deepEqual(backOffs, [1500, 3000, 6000, 6000, 6000])
})

test('attempts sent before the breaker opened close it if they succeed and change nothing if they fail', () => {
  assert.deepEqual(run(OPEN, ['late_failure', 'failure']), OPEN)
  assert.deepEqual(run(OPEN, ['success']), CLOSED)
  const probing = run(OPEN, ['probe'])
  assert.deepEqual(run(probing, ['late_failure']), probing)
  assert.deepEqual(run(probing, ['success']), CLOSED)
})

test('a probe without a result is repeated', () => {
  assert.deepEqual(run(OPEN, ['probe', 'no_result']), OPEN)
})

test('a receiver that is known to be dead is probed at once', () => {
  assert.deepEqual(breakerAfter(0, RULES), CLOSED)
  assert.deepEqual(breakerAfter(2, RULES), { ...CLOSED, failures: 2 })
  const open = breakerAfter(300, RULES)
  assert.deepEqual([open.state, open.retryAt], ['open', -Infinity])
})

test('any sequence: the breaker is closed exactly after a success or few failures, and no back-off exceeds the maximum', () => {
  const event = fc.constantFrom<Event>('success', 'failure', 'late_failure', 'probe', 'no_result')
  fc.assert(
    fc.property(fc.array(event, { maxLength: 60 }), (events) => {
      let breaker = CLOSED
      let row = 0
      for (const one of events) {
        breaker = moveBreaker(breaker, one, { rules: RULES, now: 0, random: 0.9 })
        row = one === 'success' ? 0 : one.endsWith('failure') ? row + 1 : row
        assert.equal(breaker.state === 'closed', row < RULES.failures)
        assert.ok(breaker.retryAt <= RULES.maxMs)
      }
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAt, RETRYING, WAITING } from './deliveries/delivery-builders.test-support.ts'
import { countOutcomes, healthOf, lastSuccessAmong } from './webhook-health.ts'

const ENABLED = { enabled: true, disabled_reason: null }
const FAILED = { status: 'failed', last_response_status: 500 } as const
const wordOf = (...recent: Parameters<typeof countOutcomes>[0]) => healthOf(ENABLED, recent).word

test("a webhook's health follows from its newest deliveries", () => {
  assert.equal(wordOf(), 'Enabled')
  assert.equal(wordOf(deliveryAt(1, WAITING)), 'Enabled')
  assert.equal(wordOf(deliveryAt(2), deliveryAt(1)), 'Delivering')
  assert.equal(wordOf(deliveryAt(2, RETRYING), deliveryAt(1)), 'Some fail')
  assert.equal(wordOf(deliveryAt(2, FAILED)), 'Failing')
  // The times of attempts count, not those of events.
  assert.equal(wordOf(...[9, 8, 7].map((n) => deliveryAt(n, FAILED)), deliveryAt(6)), 'Failing')
  const late = new Date(10_000).toISOString()
  assert.equal(
    wordOf(...[9, 8, 7].map((n) => deliveryAt(n, FAILED)), deliveryAt(6, { last_attempt_at: late })),
    'Some fail',
  )
})

test('a first attempt due more than a minute after its event is held back', () => {
  const due = (seconds: number) =>
    deliveryAt(1, { ...WAITING, next_attempt_at: new Date(seconds * 1000).toISOString() })
  assert.equal(healthOf(ENABLED, [due(11)]).word, 'Enabled')
  assert.match(healthOf(ENABLED, [due(62), deliveryAt(1)]).detail, /^Paused/)
  // A retry that is an hour away is on schedule.
  const retry = deliveryAt(1, { ...RETRYING, next_attempt_at: new Date(3_600_000).toISOString() })
  assert.equal(healthOf(ENABLED, [retry, deliveryAt(1)]).word, 'Some fail')
})

test('a disabled webhook shows the reason, whatever it did before', () => {
  const detail = (disabled_reason: 'gone' | 'no_success' | 'by_request') =>
    healthOf({ enabled: false, disabled_reason }, [deliveryAt(1)]).detail
  assert.match(detail('gone'), /410/)
  assert.match(detail('no_success'), /5 days/)
  assert.match(detail('by_request'), /by request/)
})

test('outcomes are counted, and the last success is the latest, not the first listed', () => {
  const recent = [deliveryAt(4, WAITING), deliveryAt(3, RETRYING), deliveryAt(1), deliveryAt(2)]
  assert.deepEqual(countOutcomes(recent), { succeeded: 2, failed: 0, retrying: 1, pending: 1, cancelled: 0 })
  assert.equal(lastSuccessAmong(recent), new Date(2040).toISOString())
  assert.equal(lastSuccessAmong([deliveryAt(1, FAILED)]), null)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deliveryAt, RETRYING, WAITING } from './delivery-builders.test-support.ts'
import { lastAnswerOf, lastDurationOf, outcomeOf, statusOf } from './delivery-words.ts'

test('a pending delivery that has failed before is retrying; a redelivered one is pending', () => {
  assert.equal(statusOf(deliveryAt(1, WAITING)).word, 'Pending')
  assert.equal(statusOf(deliveryAt(1, RETRYING)).word, 'Retrying')
  assert.equal(statusOf(deliveryAt(1, { status: 'pending' })).word, 'Pending')
  assert.equal(statusOf(deliveryAt(1)).tone, 'ok')
})

test('the outcome of the last attempt is shown in words', () => {
  assert.equal(lastAnswerOf(deliveryAt(1, WAITING)), null)
  assert.equal(lastAnswerOf(deliveryAt(1, RETRYING)), '503')
  assert.equal(
    lastAnswerOf(deliveryAt(1, { last_response_status: null, last_error: 'timeout' })),
    'No response in time',
  )
  assert.equal(lastAnswerOf(deliveryAt(1, { last_error: 'connection_failed' })), '200, then: Connection lost')
})

test('the last duration runs to the end if the attempt was decisive', () => {
  assert.equal(lastDurationOf(deliveryAt(1)), 40)
  assert.equal(lastDurationOf(deliveryAt(1, RETRYING)), null)
  assert.equal(lastDurationOf(deliveryAt(1, { status: 'failed', reason: 'expired' })), null)
})

test('failures have a reason, and a ping is attempted once', () => {
  assert.equal(outcomeOf(deliveryAt(1)), null)
  assert.match(outcomeOf(deliveryAt(1, { status: 'failed', reason: 'expired' })) ?? '', /24 hours/)
  assert.match(
    outcomeOf(deliveryAt(1, { status: 'failed', reason: 'attempts_exhausted', event: 'ping' })) ?? '',
    /once/,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES, TAIL_EVENTS, WEBHOOK_EVENT_TYPES } from './events.ts'

/** The webhook event types of the specification and its additions, in their order. */
const SPECIFIED = `trace.committed trace.completed trace.flagged metric.event metric.removed monitor.fired monitor.resolved cluster.created cluster.shifted cluster.pattern version.regressed`

test('the event types match the specification', () => {
  assert.deepEqual([...WEBHOOK_EVENT_TYPES], SPECIFIED.split(' '))
  assert.deepEqual([...TAIL_EVENTS], ['trace.committed', 'gap'])
})

test('each type has a code of its own', () => {
  const codes = Object.values(EVENT_TYPES).map(({ code }) => code)
  assert.equal(new Set(codes).size, codes.length)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TAIL_EVENTS, WEBHOOK_EVENT_TYPES } from './events.ts'

/** The specification's table of webhook event types, word for word. */
const SPECIFIED = `trace.committed trace.flagged metric.event monitor.fired monitor.resolved cluster.created cluster.shifted`

test('the event types are those of the specification', () => {
  assert.deepEqual([...WEBHOOK_EVENT_TYPES], SPECIFIED.split(' '))
  assert.deepEqual([...TAIL_EVENTS], ['trace.committed', 'gap'])
})

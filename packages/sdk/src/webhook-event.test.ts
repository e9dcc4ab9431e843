import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERED_EVENT_TYPES } from '@spoor/contract/events'
import type { WebhookEvent } from './index.ts'

test('the union has each event that is delivered', () => {
  const types: Record<WebhookEvent['type'], true> = {
    'trace.committed': true,
    'trace.completed': true,
    'trace.flagged': true,
    'metric.event': true,
    'metric.removed': true,
    'monitor.fired': true,
    'monitor.resolved': true,
    'cluster.created': true,
    'cluster.shifted': true,
    'cluster.pattern': true,
    'version.regressed': true,
    ping: true,
  }
  assert.deepEqual(Object.keys(types), [...DELIVERED_EVENT_TYPES])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DELIVERED_EVENT_TYPES } from '@spoor/contract/events'
import type { MetricEvent } from '@spoor/contract/schemas/metrics/metric-event'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'
import type { WebhookEvent, WebhookMetricEvent, WebhookMonitor, WebhookTrace } from './index.ts'

/** Compiles only if the events of the service are assignable and have exactly the documented fields. */
type Fits<Sent extends Promised, Promised> = [keyof Sent, keyof Promised] extends [keyof Promised, keyof Sent]
  ? true
  : false

type FitsData<Sent, Promised> = Sent extends Promised
  ? [keyof Sent, keyof Promised] extends [keyof Promised, keyof Sent]
    ? true
    : false
  : false

/** The same check for the objects in events. */
type FitsEvent<Type extends WebhookEvent['type']> = FitsData<
  WebhookEvents[Type]['data'],
  Extract<WebhookEvent, { readonly type: Type }>['data']
>

test('the types equal those of the contract', () => {
  const fitting: { [Type in WebhookEvent['type']]: FitsEvent<Type> } = {
    'trace.committed': true,
    'trace.completed': true,
    'trace.flagged': true,
    'metric.event': true,
    'monitor.fired': true,
    'monitor.resolved': true,
    'cluster.created': true,
    'cluster.shifted': true,
    ping: true,
  }
  assert.ok(Object.values(fitting).every(Boolean))
  const fit: [Fits<TraceRow, WebhookTrace>, Fits<MetricEvent, WebhookMetricEvent>, Fits<Monitor, WebhookMonitor>] = [
    true,
    true,
    true,
  ]
  assert.equal(fit.length, 3)
  const types: Record<WebhookEvent['type'], true> = {
    'trace.committed': true,
    'trace.completed': true,
    'trace.flagged': true,
    'metric.event': true,
    'monitor.fired': true,
    'monitor.resolved': true,
    'cluster.created': true,
    'cluster.shifted': true,
    ping: true,
  }
  assert.deepEqual(Object.keys(types), [...DELIVERED_EVENT_TYPES])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MetricId, TraceId } from '@spoor/contract/ids'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { toTraceRow } from '../../wire/to-wire.ts'
import { metricEventRecord } from '../../traces/commit/metric-event-builders.test-support.ts'
import { traceRecord } from '../../traces/trace-builders.test-support.ts'
import type { TraceRecord } from '../traces/trace-record.ts'
import { idOf, PROJECT } from './delivery-builders.test-support.ts'
import { createEventRows } from './event-rows.ts'

const [LIVE, GONE] = [traceRecord(idOf('tr', 1)), traceRecord(idOf('tr', 2), { deleted: true })]
const EVENTS = [1, 2, 3].map((number) => metricEventRecord(idOf('mev', number), { metricId: idOf('met', number % 2) }))

test('rows equal those of lists, without deleted ones, and each metric is read once', async () => {
  const metricReads: MetricId[] = []
  const counted: TraceId[] = []
  const rows = createEventRows<TraceRecord>({
    findTraces: async (_projectId, ids) => [LIVE, GONE].filter(({ id }) => ids.includes(id)),
    countAttachments: async (ids) => (counted.push(...ids), new Map([[LIVE.id, 2]])),
    costOf: async () => () => 0.25,
    printTrace: toTraceRow,
    findMetricEvents: async (_projectId, places) => EVENTS.filter(({ id }) => places.some((place) => place.id === id)),
    findMetric: async (_projectId, id) => (metricReads.push(id), { name: `metric ${metricReads.length}` }),
    printMetricEvent: toMetricEvent,
  })
  const traces = await rows.traceRows(PROJECT, [LIVE.id, GONE.id, idOf('tr', 3)])
  assert.deepEqual([...traces], [[LIVE.id, toTraceRow(LIVE, 2, 0.25)]])
  assert.deepEqual(counted, [LIVE.id])
  const places = EVENTS.map(({ id, traceId }) => ({ id, traceId }))
  const events = await rows.metricEvents(PROJECT, [...places, { id: idOf('mev', 9), traceId: LIVE.id }])
  assert.deepEqual(
    [...events.keys()],
    EVENTS.map(({ id }) => id),
  )
  assert.equal(events.get(EVENTS[2]!.id), toMetricEvent({ name: 'metric 1', event: EVENTS[2]! }))
  assert.equal(metricReads.length, 2)
})

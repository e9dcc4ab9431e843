import { EVENT_BODY_BYTES } from '@spoor/contract/limits'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveredEventType } from '@spoor/contract/events'
import fc from 'fast-check'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { toTraceRow } from '../../wire/to-wire.ts'
import { metricEventRecord } from '../../traces/commit/metric-event-builders.test-support.ts'
import { idAt, traceRecord } from '../../traces/trace-builders.test-support.ts'
import { idOf, NOW, PROJECT } from '../../ports/webhooks/delivery-builders.test-support.ts'
import { metricEventData, monitorData, toEventBody, traceData } from './event-body.ts'

interface Body {
  readonly data: Record<string, Record<string, unknown>> & { readonly truncated?: readonly string[] }
}

/** Parses a body after checking that it can be sent. */
function bodyOf(type: DeliveredEventType, data: string): Body {
  const bytes = toEventBody({ id: idOf('evt', 1), type, projectId: PROJECT, createdAt: NOW }, data)
  assert.ok(bytes.length <= EVENT_BODY_BYTES, `${bytes.length} bytes`)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  const body = JSON.parse(text) as Body & Record<string, unknown>
  assert.deepEqual(Object.keys(body), ['id', 'type', 'timestamp', 'project_id', 'data'])
  return body
}

const awkward = fc.constantFrom('a', '"', '\\', '\u0000', 'é', '漢', '😀', '\ud800', '\udc00', '\u2028')
const text = (maxLength: number) =>
  fc
    .tuple(fc.array(awkward, { minLength: 1, maxLength: 4 }), fc.integer({ min: 0, max: maxLength }))
    .map(([units, length]) => units.join('').repeat(length).slice(0, length))
const metadata = fc
  .array(fc.tuple(text(200), text(10_000)), { maxLength: 25 })
  .map((pairs) => Buffer.from(JSON.stringify(Object.fromEntries(pairs))))
const maybe = (maxLength: number) => fc.option(text(maxLength))

test('a small event is sent unchanged, byte for byte', () => {
  const row = '{"id":"tr_1","metadata":{"n": 1.0e400, "a":"\\ud800"}}'
  const bytes = toEventBody(
    { id: idOf('evt', 1), type: 'trace.flagged', projectId: PROJECT, createdAt: NOW },
    traceData(row, 'é'),
  )
  assert.equal(
    bytes.toString(),
    `{"id":"${idOf('evt', 1)}","type":"trace.flagged","timestamp":"2026-06-01T00:00:00.000Z","project_id":"${PROJECT}","data":{"trace":${row},"reason":"é"}}`,
  )
  assert.equal(traceData('{}', null), '{"trace":{}}')
})

test('a body of exactly the limit is not shortened, one of a byte more is', () => {
  const size = (length: number) =>
    monitorData(JSON.stringify({ name: 'n', filters: { name: 'x'.repeat(length) } }), 1, NOW, null)
  const empty = toEventBody(
    { id: idOf('evt', 1), type: 'monitor.fired', projectId: PROJECT, createdAt: NOW },
    size(0),
  ).length
  assert.equal(bodyOf('monitor.fired', size(EVENT_BODY_BYTES - empty)).data.truncated, undefined)
  const cut = bodyOf('monitor.fired', size(EVENT_BODY_BYTES - empty + 1)).data
  assert.deepEqual(cut.truncated, ['/monitor/filters'])
  assert.deepEqual(cut['monitor'], { name: 'n', filters: {} })
})

test('the event of any trace fits and has its id; metadata is shortened first', () => {
  const trace = fc.record({
    name: text(1000),
    sessionId: maybe(1000),
    userId: maybe(1000),
    metadata,
    models: fc.array(text(1000), { maxLength: 40 }),
  })
  fc.assert(
    fc.property(trace, maybe(1000), (fields, reason) => {
      const record = traceRecord(idAt('tr', NOW), fields)
      const { trace: row, truncated } = bodyOf('trace.flagged', traceData(toTraceRow(record, 3, null), reason)).data
      assert.deepEqual([row?.['id'], row?.['attachment_count']], [record.id, 3])
      const whole = JSON.parse(toTraceRow(record, 3, null)) as Record<string, unknown>
      assert.deepEqual(Object.keys(row ?? {}), Object.keys(whole))
      for (const [key, value] of Object.entries(whole)) {
        if (!truncated?.includes(`/trace/${key}`)) assert.deepEqual(row?.[key], value)
      }
      if (truncated !== undefined && fields.metadata.length > 2) assert.equal(truncated[0], '/trace/metadata')
      if (!truncated?.includes('/trace/name')) return
      assert.ok(String(whole['name']).startsWith(String(row?.['name'])))
    }),
  )
})

test('metadata of 256 KiB does not shorten other fields', () => {
  const big = Buffer.from(JSON.stringify({ text: '\u0001'.repeat(40_000) }))
  const { trace, truncated } = bodyOf(
    'trace.committed',
    traceData(toTraceRow(traceRecord(idAt('tr', NOW), { metadata: big, models: ['m'] }), 0, null), null),
  ).data
  assert.deepEqual([truncated, trace?.['metadata'], trace?.['models']], [['/trace/metadata'], {}, ['m']])
})

test('any metric event fits; a comment keeps its beginning', () => {
  const event = fc.record({
    metadata,
    comment: maybe(10_000),
    idempotencyKey: maybe(1000),
    value: fc.oneof(
      text(1000).map((option) => ({ kind: 'enum' as const, option })),
      fc.constant({ kind: 'numeric' as const, number: 1.5 }),
    ),
  })
  fc.assert(
    fc.property(event, text(1000), (fields, name) => {
      const record = metricEventRecord(idAt('mev', NOW), fields)
      const { event: sent, truncated } = bodyOf(
        'metric.event',
        metricEventData(toMetricEvent({ name, event: record })),
      ).data
      assert.equal(sent?.['id'], record.id)
      if (truncated?.includes('/event/comment')) assert.ok(fields.comment?.startsWith(String(sent?.['comment'])))
      else assert.equal(sent?.['comment'], fields.comment)
    }),
  )
})

test('the event of any monitor or cluster fits', () => {
  const filters = fc.dictionary(text(300), fc.oneof(text(5000), fc.dictionary(text(200), text(900), { maxKeys: 32 })))
  const source = fc.record({ kind: fc.constant('metric'), metric: text(1000), option: text(5000) })
  fc.assert(
    fc.property(filters, source, text(1000), (held, from, name) => {
      const monitor = JSON.stringify({ id: 'mon_1', name, source: from, filters: held, threshold: 1 })
      const { monitor: sent } = bodyOf('monitor.fired', monitorData(monitor, null, NOW, null)).data
      assert.deepEqual([sent?.['id'], sent?.['threshold']], ['mon_1', 1])
    }),
  )
  const ids = fc.array(
    fc.integer({ min: 1, max: 1e9 }).map((number) => idOf('tr', number)),
    { maxLength: 3000 },
  )
  const previous = fc.record({ label: text(8000), size: fc.nat() })
  fc.assert(
    fc.property(ids, ids, previous, text(9000), (joined, left, before, label) => {
      const cluster = { id: 'clu_1', label, keywords: [label, label], size: 4 }
      const data = { cluster, previous: before, joined, left, similarity: 0.5 }
      const { cluster: sent, joined: some } = bodyOf('cluster.shifted', JSON.stringify(data)).data
      assert.deepEqual([sent?.['id'], sent?.['size']], ['clu_1', 4])
      assert.deepEqual(some, joined.slice(0, Number(some?.['length'])))
    }),
  )
})

test('data with unknown large fields is left out', () => {
  const data = JSON.stringify({ surprise: 'x'.repeat(EVENT_BODY_BYTES) })
  assert.deepEqual(bodyOf('cluster.created', data).data, { truncated: [''] })
  assert.deepEqual(bodyOf('ping', data).data, { truncated: [''] })
})

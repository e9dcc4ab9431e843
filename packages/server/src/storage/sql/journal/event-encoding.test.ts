import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JournalEvent } from '../../../ports/journal/journal.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import { numberedId } from '../../../ports/journal/numbered-commit.test-support.ts'

const traceId = fc.nat().map((number) => numberedId('tr', number))
const reason = fc.option(fc.string({ unit: 'binary' }))
const plain = { noNullPrototype: true }
const eventId = fc.nat().map((number) => numberedId('mev', number))
const transition = fc.record(
  {
    projectId: fc.nat().map((number) => numberedId('proj', number)),
    monitorId: fc.nat().map((number) => numberedId('mon', number)),
    revision: fc.nat(),
    to: fc.constantFrom('normal' as const, 'fired' as const),
    cause: fc.constantFrom('evaluation' as const, 'change' as const, 'disable' as const, 'delete' as const),
    previouslyEvaluatedAt: fc.option(fc.nat()),
    at: fc.nat(),
    group: fc.option(fc.string({ unit: 'binary' })),
    value: fc.option(fc.integer().map((number) => number / 8)),
    samples: fc.nat(),
    threshold: fc.integer().map((number) => number / 8),
    monitor: fc.string({ unit: 'binary' }),
  },
  plain,
)
const event: fc.Arbitrary<JournalEvent> = fc.oneof(
  fc.record({ type: fc.constantFrom('trace.committed' as const, 'trace.completed' as const), traceId }, plain),
  fc.record({ type: fc.constant('trace.flagged' as const), traceId, reason }, plain),
  fc.record({ type: fc.constantFrom('metric.event' as const, 'metric.removed' as const), traceId, eventId }, plain),
  fc.record(
    {
      type: fc.constantFrom('cluster.created' as const, 'cluster.shifted' as const, 'cluster.pattern' as const),
      clusterId: fc.nat().map((number) => numberedId('clu', number)),
      data: fc.string({ unit: 'binary' }),
    },
    plain,
  ),
  fc.record({ type: fc.constant('version.regressed' as const), data: fc.string({ unit: 'binary' }) }, plain),
  fc.record({ type: fc.constantFrom('monitor.fired' as const, 'monitor.resolved' as const), transition }, plain),
)

test('encoded events are decoded unchanged', () => {
  fc.assert(fc.property(fc.array(event), (events) => assert.deepEqual(decodeEvents(encodeEvents(events)), events)))
})

test('a lone surrogate in a reason is preserved', () => {
  const events: JournalEvent[] = [{ type: 'trace.flagged', traceId: numberedId('tr', 1), reason: '\ud800 \u0000' }]
  assert.deepEqual(decodeEvents(encodeEvents(events)), events)
})

test('a committed trace takes 17 bytes', () => {
  assert.equal(encodeEvents([{ type: 'trace.committed', traceId: numberedId('tr', 1) }]).length, 17)
})

test('an unknown event type is an error', () => {
  assert.throws(() => decodeEvents(new Uint8Array(17).fill(99)), /unknown type 99/)
})

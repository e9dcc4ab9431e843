import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonString, jsonText, objectText } from '../../../lib/json/json-arbitraries.test-support.ts'
import type { MetricValue } from '../../../ports/journal/metric-event.ts'
import type { NewMetricEvent } from '../../../ports/traces/trace-store.ts'
import { metadataOfTerm, metadataTerms } from '../../../traces/rules/terms.ts'
import { BEGIN_MS, idAt, OTHER_PROJECT, PROJECT } from '../../../traces/trace-builders.test-support.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { ByteWriter } from './byte-writer.ts'
import { METRIC_EVENT_COLUMNS, readMetricEventRow, writeMetricEventRow } from './metric-event-row.ts'
import { times } from '../../../lib/times.test-support.ts'

const engine = await temporaryEngine()

/** Same prototypes as in records, because deepEqual compares prototypes. */
const PLAIN = { noNullPrototype: true } as const
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', '\n\n', '"]', 'null', '\0'))
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const value: fc.Arbitrary<MetricValue> = fc.oneof(
  fc.boolean().map((passed): MetricValue => ({ kind: 'boolean', passed })),
  // JSON has no negative zero.
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .map((number): MetricValue => ({ kind: 'numeric', number: number === 0 ? 0 : number })),
  text.map((option): MetricValue => ({ kind: 'enum', option })),
)
const time = fc.nat({ max: 4_000_000_000_000 })

const event: fc.Arbitrary<NewMetricEvent> = fc.record(
  {
    runType: text,
    models: fc.uniqueArray(text, { maxLength: 3 }),
    terms: fc
      .dictionary(text, text, { maxKeys: 3 })
      .map((values) => metadataTerms(Buffer.from(JSON.stringify(values)))),
    record: fc.record(
      {
        projectId: fc.constantFrom(PROJECT, OTHER_PROJECT),
        traceId: fc.constant(idAt('tr', BEGIN_MS)),
        id: fc.constant(idAt('mev', BEGIN_MS)),
        version: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        metricId: fc.constant(idAt('met', 1)),
        stepId: orNull(fc.constant(idAt('st', BEGIN_MS))),
        value,
        source: orNull(fc.constantFrom('human' as const, 'code' as const, 'llm' as const)),
        comment: orNull(text),
        metadata: objectText(jsonString, jsonText).map((object) => Buffer.from(object)),
        idempotencyKey: orNull(text),
        at: time,
        createdAt: time,
        createdBy: orNull(fc.constant(idAt('key', BEGIN_MS))),
      },
      PLAIN,
    ),
  },
  PLAIN,
)

test('every event is read from the engine as written, and its point has the columns that series read', async () => {
  let written = 0
  const batches = fc.array(event, { minLength: 1, maxLength: 100, size: 'max' })
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const traceId = idAt('tr', BEGIN_MS, written++)
      const events = batch.map((one, n) => ({
        ...one,
        record: { ...one.record, traceId, id: idAt('mev', BEGIN_MS, n) },
      }))
      const out = new ByteWriter()
      for (const one of events) writeMetricEventRow(out, one)
      for (const table of ['metric_events', 'metric_points']) await engine.insert(table, out.written())
      const ofTrace = `WHERE trace_id = '${traceId}' ORDER BY id`
      const rows = await engine.select(`SELECT ${METRIC_EVENT_COLUMNS} FROM metric_events ${ofTrace}`)
      assert.deepEqual(
        rows.map(readMetricEventRow),
        events.map(({ record }) => record),
      )
      assert.deepEqual(
        await engine.select(
          `SELECT run_type, models, arraySort(arrayZip(mapKeys(meta), mapValues(meta))), step_id FROM metric_points ${ofTrace}`,
        ),
        events.map(({ runType, models, terms, record }) => [
          runType.toWellFormed(),
          models.length === 0 ? [''] : models.map((model) => model.toWellFormed()),
          terms
            .flatMap((term) => [metadataOfTerm(term) ?? []])
            .filter(([key]) => key !== undefined)
            .sort(([a], [b]) => Buffer.compare(Buffer.from(a as string), Buffer.from(b as string))),
          record.stepId ?? '',
        ]),
      )
    }),
    { numRuns: times(5) },
  )
})

test('encoding and decoding alone return the same event', () => {
  fc.assert(
    fc.property(event, (one) => {
      const out = new ByteWriter()
      writeMetricEventRow(out, one)
      const row = JSON.parse(out.written().toString()) as Record<string, unknown>
      assert.deepEqual(readMetricEventRow(METRIC_EVENT_COLUMNS.split(', ').map((column) => row[column])), one.record)
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { atOnce } from '../../../lib/flow/in-slices.ts'
import { jsonString, jsonText, objectText } from '../../../lib/json/json-arbitraries.test-support.ts'
import { BEGIN_MS, idAt, newStep, preparedStep, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { ByteWriter } from './byte-writer.ts'
import { METRIC_EVENT_PRINTED } from './metric-event-row.ts'
import { readStepRow, STEP_COLUMNS, STEP_PRINTED, writeStepRow } from './step-row.ts'
import { TRACE_PRINTED } from './trace-row.ts'
import { toStepRecord } from '../../recent/recent-rows.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { times } from '../../../lib/times.test-support.ts'

const engine = await temporaryEngine()

test('bodies are read back byte for byte, whatever white space and empty lines they contain', async () => {
  let written = 0
  const empty = '{\n\n"messages":[{}],\n\n\n"metadata":{"a" : "\\n\\n"}\r\n\r\n}'
  const bodies = fc.array(fc.oneof(objectText(jsonString, jsonText), fc.constant(empty)), {
    minLength: 1,
    maxLength: 100,
    size: 'max',
  })
  await fc.assert(
    fc.asyncProperty(bodies, async (batch) => {
      const trace = traceRecord(idAt('tr', BEGIN_MS, written++))
      const out = new ByteWriter()
      for (const [position, body] of batch.entries()) {
        atOnce(
          writeStepRow(out, newStep(trace, position, { prepared: preparedStep({ body: Buffer.from(body) }) }), true),
        )
      }
      await engine.insert('steps', out.written())
      const rows = await engine.select(
        `SELECT ${STEP_COLUMNS} FROM steps WHERE trace_id = '${trace.id}' ORDER BY position`,
      )
      assert.deepEqual(
        rows.map((row) => readStepRow(row).body),
        batch,
      )
    }),
    { numRuns: times(6) },
  )
})

const anyText = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', '\n\n', '"}', 'null', '\0'))
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
/** An empty text is stored as none. */
const someText = anyText.filter((one) => one !== '')
const count = fc.nat()

const prepared = fc.record(
  {
    name: anyText,
    type: anyText,
    model: orNull(someText),
    status: orNull(fc.constantFrom('ok' as const, 'error' as const)),
    startedAt: orNull(count),
    endedAt: orNull(count),
    idempotencyKey: orNull(someText),
    tokenUsage: orNull(
      fc.record(
        {
          input: count,
          output: count,
          cacheRead: count,
          cacheWrite: count,
          reasoning: count,
          more: orNull(
            fc.record(
              {
                cacheWriteHour: count,
                audioInput: count,
                audioOutput: count,
                imageInput: count,
                imageOutput: count,
                sentCost: count,
                isBatch: fc.boolean(),
              },
              { noNullPrototype: true },
            ),
          ),
        },
        { noNullPrototype: true },
      ),
    ),
  },
  { noNullPrototype: true },
)

test('encoding and decoding alone return the same step', () => {
  fc.assert(
    fc.property(prepared, (fields) => {
      const step = newStep(traceRecord(idAt('tr', 1)), 0, { prepared: preparedStep(fields) })
      const out = new ByteWriter()
      atOnce(writeStepRow(out, step, true))
      const row = JSON.parse(out.written().toString()) as Record<string, unknown>
      const { position, record } = row
      assert.deepEqual(readStepRow([position, JSON.stringify(record), '', '{}']), toStepRecord(step))
    }),
  )
})

test('every step is read from the engine as it is in memory, field by field', async () => {
  let written = 0
  const batches = fc.array(prepared, { minLength: 1, maxLength: 100, size: 'max' })
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const trace = traceRecord(idAt('tr', BEGIN_MS, 2_000_000 + written++))
      const steps = batch.map((fields, position) =>
        newStep(trace, position, {
          prepared: preparedStep(fields),
          parentStepId: position % 2 ? idAt('st', 1) : null,
          parentInferred: position % 3 === 0,
        }),
      )
      const out = new ByteWriter()
      for (const step of steps) atOnce(writeStepRow(out, step, true))
      await engine.insert('steps', out.written())
      const rows = await engine.select(
        `SELECT ${STEP_COLUMNS} FROM steps WHERE trace_id = '${trace.id}' ORDER BY position`,
      )
      assert.deepEqual(rows.map(readStepRow), steps.map(toStepRecord))
    }),
    { numRuns: times(5) },
  )
})

test('every column of the tables is documented, and every documented one exists', async () => {
  const columns = async (table: string) =>
    (
      await engine.select(`SELECT name FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`)
    ).map(([name]) => name as string)
  const of = (printed: object, ...last: readonly string[]) => new Set([...Object.keys(printed), ...last])
  assert.deepEqual(new Set(await columns('traces')), of(TRACE_PRINTED, 'metadata'))
  assert.deepEqual(new Set(await columns('steps')), of(STEP_PRINTED, 'text', 'words', 'body'))
  // One row serves both tables; the minute is derived from the time.
  const both = [...(await columns('metric_events')), ...(await columns('metric_points'))]
  assert.deepEqual(new Set(both), of(METRIC_EVENT_PRINTED, 'metadata', 'minute'))
})

test('a long text is written in complete pieces: no character is split between two of them', () => {
  const trace = traceRecord(idAt('tr', BEGIN_MS, 1_000_000))
  for (const shift of ['', 'a', 'ab']) {
    const text = `${shift}${'😀'.repeat(100_000)}"\\\n\u0001`
    const out = new ByteWriter()
    const work = writeStepRow(out, newStep(trace, 0, { prepared: preparedStep({ texts: [text] }) }), true)
    let pieces = 1
    while (work.next().done !== true) pieces += 1
    assert.equal(pieces, 4)
    assert.equal((JSON.parse(out.written().toString()) as { text: string }).text, text)
  }
})

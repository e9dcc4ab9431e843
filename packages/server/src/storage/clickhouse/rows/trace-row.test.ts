import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonString, jsonText, objectText } from '../../../lib/json/json-arbitraries.test-support.ts'
import { BEGIN_MS, idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { ByteWriter } from './byte-writer.ts'
import { temporaryEngine } from '../engine/temporary-engine.test-support.ts'
import { PackedRecord, REQUIRED } from './packed-record.ts'
import { readTraceRow, TRACE_COLUMNS, TRACE_RECORD, writeTraceRow } from './trace-row.ts'
import { times } from '../../../lib/times.test-support.ts'

const engine = await temporaryEngine()

const HOSTILE = 'it\'s "quoted" \\ \\0 \0\b\t\n\r\u2028 ,"metadata":{} 東京 🜁 \u{10ffff} null -1'
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('\0', '"', "'", '\\', '\n', ']', '}', ',', '🜁', 'u', '0'), maxLength: 20 }),
  fc.constantFrom(HOSTILE, '', 'null', '-1', '[]'),
)
const count = fc.oneof(fc.nat(), fc.constantFrom(0, Number.MAX_SAFE_INTEGER))
const orNull = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: null })
const time = orNull(fc.oneof(fc.constantFrom(0, Date.UTC(9999, 11, 31)), fc.nat()))
/** Same prototypes as in records, because deepEqual compares prototypes. */
const PLAIN = { noNullPrototype: true } as const
const status = fc.constantFrom('ok' as const, 'error' as const)

const priced = { input: count, output: count, cacheRead: count, cacheWrite: count }

const said = orNull(fc.record({ at: fc.nat(), text, isRoot: fc.boolean(), time }, PLAIN))

const seenCalls = fc.array(fc.record({ key: text, last: count, at: fc.array(fc.nat(), { maxLength: 3 }) }, PLAIN), {
  maxLength: 3,
})

/** All fields except those that identify the row. */
const fields: fc.Arbitrary<Omit<TraceRecord, 'id' | 'createdAt'>> = fc.record(
  {
    projectId: fc.constantFrom(PROJECT, OTHER_PROJECT),
    version: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    deleted: fc.boolean(),
    name: text,
    runType: text,
    ownStatus: orNull(status),
    status,
    flagged: fc.boolean(),
    flagReason: orNull(text),
    metadata: objectText(jsonString, jsonText).map((object) => Buffer.from(object)),
    sessionId: orNull(text),
    userId: orNull(text),
    ownStartedAt: time,
    ownEndedAt: time,
    failedSteps: count,
    stepsStartedAt: time,
    stepsEndedAt: time,
    stepCount: fc.nat({ max: 2 ** 32 - 1 }),
    tokenUsage: fc.record(
      { input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count },
      PLAIN,
    ),
    models: fc.uniqueArray(text, { maxLength: 4 }),
    bodyBytes: count,
    lastStepId: orNull(fc.nat({ max: 1000 }).map((number) => idAt('st', BEGIN_MS, number))),
    spans: orNull(
      fc.record(
        { rootSeen: fc.boolean(), rootStatus: orNull(status), nameRank: fc.nat(9), nameStartedAt: time },
        PLAIN,
      ),
    ),
    growing: fc.boolean(),
    updatedAt: time,
    digest: fc.record(
      {
        input: said,
        output: said,
        error: said,
        usage: orNull(fc.array(fc.record({ model: text, tokens: fc.record(priced, PLAIN) }, PLAIN), { maxLength: 3 })),
        nesting: fc.constantFrom('none' as const, 'nested' as const, 'overlaps' as const),
        failedAt: time,
        answeredAt: time,
        errorTypes: fc.uniqueArray(text, { maxLength: 3 }),
        calls: fc.record({ done: count, open: fc.constant(null), asked: fc.constant(null), seen: seenCalls }, PLAIN),
      },
      PLAIN,
    ),
  },
  PLAIN,
)

test('every record is read from the engine as written, field by field and metadata byte for byte', async () => {
  let written = 0
  const batches = fc.array(fields, { minLength: 1, maxLength: 200, size: 'max' })
  await fc.assert(
    fc.asyncProperty(batches, async (batch) => {
      const records = batch.map((record) => {
        const createdAt = BEGIN_MS + written++
        return { ...record, id: idAt('tr', createdAt), createdAt }
      })
      await insert(records)
      const ids = records.map(({ id }) => `'${id}'`).join(', ')
      const rows = await engine.select(`SELECT ${TRACE_COLUMNS} FROM traces WHERE id IN (${ids}) ORDER BY id`)
      assert.deepEqual(rows.map(readTraceRow), records)
    }),
    { numRuns: times(6) },
  )
})

test('encoding and decoding alone return the same record, also for arrays without the newest fields', () => {
  fc.assert(
    fc.property(fields, (record) => {
      const trace = { ...record, id: idAt('tr', BEGIN_MS), createdAt: BEGIN_MS }
      const array = JSON.parse(JSON.stringify(TRACE_RECORD.toArray(trace))) as unknown[]
      const { id, version, metadata } = trace
      assert.deepEqual(TRACE_RECORD.fromArray(array, { id, version, metadata }), trace)
    }),
  )
  const older = new PackedRecord<{ a: number; b: { c: number } }>({
    a: REQUIRED,
    b: new PackedRecord<{ c: number }>({ c: REQUIRED }),
  })
  const newer = new PackedRecord<{ a: number; b: { c: number }; d: string | null }>({
    a: REQUIRED,
    b: new PackedRecord<{ c: number }>({ c: REQUIRED }),
    d: null,
  })
  assert.deepEqual(newer.fields, ['a', 'b.c', 'd'])
  assert.deepEqual(newer.fromArray(older.toArray({ a: 1, b: { c: 2 } }), {}), { a: 1, b: { c: 2 }, d: null })
  assert.deepEqual(older.fromArray(newer.toArray({ a: 1, b: { c: 2 }, d: 'x' }), {}), { a: 1, b: { c: 2 } })
})

test('whatever is filtered, sorted and counted by has a column of its own', async () => {
  const trace = traceRecord(idAt('tr', 7), {
    createdAt: 7,
    version: 3,
    deleted: true,
    name: 'Book it',
    runType: HOSTILE,
    status: 'error',
    flagged: true,
    userId: 'u',
    ownStartedAt: 10,
    stepsEndedAt: 25,
    stepCount: 4,
    tokenUsage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 5 },
    models: ['a', HOSTILE],
    metadata: Buffer.from('{"k": 1.0}'),
  })
  await insert([trace, traceRecord(idAt('tr', 8), { createdAt: 8, ownStartedAt: 10 })])
  const columns = `ver, toUnixTimestamp64Milli(created_at), deleted, run_type, status, flagged, duration_ms, step_count, input_tokens, output_tokens,
    cache_read_tokens, cache_write_tokens, total_tokens, models, terms, metadata`
  const [row, unknown] = await engine.select(
    `SELECT ${columns} FROM traces WHERE project_id = '${PROJECT}' AND created_at < fromUnixTimestamp64Milli(9) ORDER BY id`,
  )
  assert.deepEqual(row?.slice(0, 14), [3, 7, 1, HOSTILE, 'error', 1, 15, 4, 1, 2, 3, 4, 3, ['a', HOSTILE]])
  const terms = row?.[14] as string[]
  assert.ok(
    ['s\0error', 'f', 'n\0Book it', 'u\0u', 'm\0a', 'k\0k\x001.0', 'h\0k', 'w\0book'].every((term) =>
      terms.includes(term),
    ),
    terms.join(),
  )
  assert.equal(row?.[15], '{"k": 1.0}')
  assert.deepEqual(unknown?.slice(0, 7), [1, 8, 0, 'agent', 'ok', 0, -1])
})

async function insert(records: readonly TraceRecord[]): Promise<void> {
  const out = new ByteWriter()
  for (const record of records) writeTraceRow(out, record)
  await engine.insert('traces', out.written())
}

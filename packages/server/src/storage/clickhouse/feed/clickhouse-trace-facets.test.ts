import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { MemoryFacets } from '../../../http/test-world/memory-facets.test-support.ts'
import { EMPTY_DIGEST } from '../../../traces/rules/trace-digest.ts'
import { idAt, OTHER_PROJECT, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import type { TraceFacetField, TraceFacetsQuery } from '../../../ports/traces/trace-facets.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseTraceFacets } from './clickhouse-trace-facets.ts'
import { times } from '../../../lib/times.test-support.ts'

const world = await aggregateWorld()
afterEach(() => world.clear())

const BEGIN = Date.UTC(2026, 1, 27, 22)
const MONTH = 30 * 86_400_000
const ALL: TraceFacetsQuery = { projectId: PROJECT, field: { by: 'name' }, containing: null, limit: 100 }

function facets(query: Partial<TraceFacetsQuery>, mostTraces = 1000) {
  return new ClickHouseTraceFacets(world.engine, mostTraces).traceFacets({ ...ALL, ...query })
}

const texts = fc.constantFrom('flow', 'Flow 2', "it's", 'a"b', '\\', 'ü 🦊', 'x\0y', '1', '"1"', 'n'.repeat(200))
const values = fc.oneof(texts, fc.constantFrom<unknown>('', 1, null, true, [1, 'a'], { a: 'Flow' }))
const traceFields = fc.record({
  at: fc.integer({ min: BEGIN, max: BEGIN + 2 * MONTH }),
  name: texts,
  runType: fc.constantFrom('agent', 'eval'),
  models: fc.uniqueArray(texts, { maxLength: 3 }),
  errorTypes: fc.uniqueArray(texts, { maxLength: 2 }),
  sessionId: fc.option(texts),
  userId: fc.option(texts),
  metadata: fc.dictionary(texts, values, { maxKeys: 4 }),
  versions: fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 3 }),
})
const fields = fc.oneof(
  fc
    .constantFrom('run_type', 'model', 'error_type', 'name', 'session_id', 'user_id', 'metadata_key')
    .map((by) => ({ by })),
  texts.map((key) => ({ by: 'metadata', key })),
) as fc.Arbitrary<TraceFacetField>

test('facets equal a plain count over the latest versions of the newest traces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(traceFields, { maxLength: 12 }),
      fields,
      fc.option(fc.constantFrom('flow', 'FLOW', '1', ' ', "'", '🦊')),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 14 }),
      async (traces, field, containing, limit, mostTraces) => {
        await world.clear()
        const inserts: TraceRecord[][] = [[], [], []]
        const latest: TraceRecord[] = []
        for (const [number, { versions, metadata, at, models, errorTypes, ...rest }] of traces.entries()) {
          const bytes = Buffer.from(JSON.stringify(metadata))
          for (const [version, deleted] of versions.entries()) {
            const known = { createdAt: at, version: version + 1, metadata: bytes, deleted, ...rest }
            const digest = { ...EMPTY_DIGEST, errorTypes }
            // Only the latest version has its models.
            const isNewest = version === versions.length - 1
            const record = traceRecord(idAt('tr', at, number), {
              ...known,
              digest,
              models: isNewest ? models : ['old'],
            })
            inserts[version]?.push(record)
            if (isNewest) latest.push(record)
          }
        }
        for (const records of inserts) if (records.length > 0) await world.addTraces(records)
        const query = { ...ALL, field, containing, limit }
        const expected = new MemoryFacets(mostTraces)
        expected.traces.push(...latest)
        assert.deepEqual(await facets(query, mostTraces), await expected.traceFacets(query))
      },
    ),
    { numRuns: times(10) },
  )
})

test('another project sees none of it, and an empty one has no values', async () => {
  await world.addTraces([traceRecord(idAt('tr', BEGIN), { createdAt: BEGIN })])
  assert.deepEqual(await facets({ projectId: OTHER_PROJECT }), { values: [], complete: true })
  assert.deepEqual(await facets({}), { values: [{ value: 'trace', count: 1 }], complete: true })
})

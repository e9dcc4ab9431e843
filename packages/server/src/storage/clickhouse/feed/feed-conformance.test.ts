import { toTraceFilters } from '@spoor/contract/trace-filters'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testTraceFacets } from '../../../ports/traces/trace-facets.conformance.ts'
import { testTraceSummaries } from '../../../ports/traces/trace-summaries.conformance.ts'
import { BEGIN_MS, idAt, PROJECT, traceRecord } from '../../../traces/trace-builders.test-support.ts'
import { rowsOf } from '../rows/rows-of.test-support.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseTraceFacets } from './clickhouse-trace-facets.ts'
import { ClickHouseTraceSummaries } from './clickhouse-trace-summaries.ts'

const world = await aggregateWorld()

testTraceFacets(async (mostTraces) => {
  await world.clear()
  return {
    facets: new ClickHouseTraceFacets(world.engine, mostTraces),
    write: (traces) => world.addTraces(traces),
  }
})

testTraceSummaries(async () => {
  await world.clear()
  return {
    store: new ClickHouseTraceSummaries(world.dependencies),
    write: (traces, steps) => world.addTraces(traces, steps),
  }
})

test('sessions and users wait for what is committed, and read rows of the schema before', async () => {
  await world.clear()
  const { engine } = world
  const ids = ['it\'s "q" \\ \0\n\u2028 東京 🜁', 'x'.repeat(500), 'null', '0']
  const older = ids.map((id, number) =>
    traceRecord(idAt('tr', BEGIN_MS, number), { sessionId: id, userId: number === 0 ? null : id }),
  )
  const rows = rowsOf(older, [], [])
    .traces.toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(/"session_id":("(?:[^"\\]|\\.)*"),"user_id":("(?:[^"\\]|\\.)*"),/, ''))
  assert.ok(rows.every((line) => !line.includes('session_id')))
  await engine.insert('traces', Buffer.from(`${rows.join('\n')}\n`))
  const found = await engine.select('SELECT session_id, user_id FROM traces ORDER BY id')
  assert.deepEqual(
    found,
    ids.map((id, number) => [id, number === 0 ? '' : id]),
  )
  const store = new ClickHouseTraceSummaries(world.dependencies)
  const query = { projectId: PROJECT, by: 'session_id', filters: NO_FILTERS, ...ANY } as const
  await store.findSummaries({ ...query, before: null, limit: 1 })
  await store.sumUp(query, ids)
  await store.tokensUsed(query, ids)
  assert.equal(world.waits.length, 3)
})

const NO_FILTERS = {
  ...toTraceFilters('lists', {}),
  metadata: [],
}
const ANY = {
  words: null,
  among: null,
  scored: null,
  withoutMetric: null,
  rates: null,
  startTime: null,
  endTime: null,
  throughId: idAt('tr', BEGIN_MS + 1),
}

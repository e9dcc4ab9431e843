import { toTraceFilters } from '@spoor/contract/trace-filters'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testTraceFacets } from '../../../ports/traces/trace-facets.conformance.ts'
import { testTraceSummaries } from '../../../ports/traces/trace-summaries.conformance.ts'
import { BEGIN_MS, idAt, PROJECT } from '../../../traces/trace-builders.test-support.ts'
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

test('sessions and users wait for what is committed', async () => {
  await world.clear()
  const store = new ClickHouseTraceSummaries(world.dependencies)
  const query = { projectId: PROJECT, by: 'session_id', filters: NO_FILTERS, ...ANY } as const
  await store.findSummaries({ ...query, before: null, limit: 1 })
  await store.sumUp(query, ['s'])
  assert.equal(world.waits.length, 2)
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

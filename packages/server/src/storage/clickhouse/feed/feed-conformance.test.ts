import { testTraceFacets } from '../../../ports/traces/trace-facets.conformance.ts'
import { testTraceSummaries } from '../../../ports/traces/trace-summaries.conformance.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseTraceFacets } from './clickhouse-trace-facets.ts'
import { SeriesCache } from '../series/series-cache.ts'
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
  const cache = new SeriesCache()
  return {
    store: new ClickHouseTraceSummaries(world.dependencies, cache),
    async write(traces, steps) {
      cache.note({ traces, metricEvents: [] })
      await world.addTraces(traces, steps)
    },
  }
})

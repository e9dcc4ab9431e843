import { testTraceFacets } from '../../../ports/traces/trace-facets.conformance.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseTraceFacets } from './clickhouse-trace-facets.ts'

const world = await aggregateWorld()

testTraceFacets(async (mostTraces) => {
  await world.clear()
  return {
    facets: new ClickHouseTraceFacets(world.engine, mostTraces),
    write: (traces) => world.addTraces(traces),
  }
})

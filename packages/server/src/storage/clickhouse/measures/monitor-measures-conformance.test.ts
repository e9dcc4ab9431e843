import { testMonitorMeasures } from '../../../ports/monitors/monitor-measures.conformance.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseMonitorMeasures } from './clickhouse-monitor-measures.ts'

const world = await aggregateWorld()

testMonitorMeasures(async () => {
  await world.clear()
  return {
    measures: new ClickHouseMonitorMeasures(world.dependencies),
    async write(traces, events) {
      if (traces.length > 0) await world.addTraces(traces)
      if (events.length > 0) await world.addMetricEvents(events)
    },
    remove: (trace) => world.addTombstone(trace),
  }
})

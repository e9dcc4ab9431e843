import { MEASURED_RATES, testMonitorMeasures } from '../../../ports/monitors/monitor-measures.conformance.ts'
import { aggregateWorld } from '../series/aggregate-world.test-support.ts'
import { ClickHouseMonitorMeasures } from './clickhouse-monitor-measures.ts'

const world = await aggregateWorld()

testMonitorMeasures(async () => {
  await world.clear()
  const measures = new ClickHouseMonitorMeasures({ ...world.dependencies, ratesOf: async () => MEASURED_RATES }, 1000)
  return {
    measures,
    async write(traces, events) {
      if (traces.length > 0) await world.addTraces(traces)
      if (events.length > 0) await world.addMetricEvents(events)
      measures.note({ traces })
    },
    async remove(trace) {
      await world.addTombstone(trace)
      measures.note({ traces: [trace] })
    },
  }
})

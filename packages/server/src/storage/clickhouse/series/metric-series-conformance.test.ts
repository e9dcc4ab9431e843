import { testMetricSeries } from '../../../ports/metrics/metric-series.conformance.ts'
import { aggregateWorld } from './aggregate-world.test-support.ts'
import { ClickHouseMetricSeries } from './clickhouse-metric-series.ts'
import { SeriesCache } from './series-cache.ts'

const world = await aggregateWorld()

testMetricSeries(async () => {
  await world.clear()
  const cache = new SeriesCache(1_000_000)
  return {
    series: new ClickHouseMetricSeries(world.dependencies, cache),
    async write(traces, events) {
      if (traces.length > 0) await world.addTraces(traces)
      if (events.length === 0) return
      await world.addMetricEvents(events)
      cache.note({ traces: [], metricEvents: events })
    },
    remove: (trace) => world.addTombstone(trace),
  }
})

import type { MetricEventId, TraceId } from '@spoor/contract/ids'
import { MemoryMetricEvents, MemoryMetricStore } from './memory-metrics.test-support.ts'
import { testMetricEventStore } from './metric-event-store.conformance.ts'
import { testMetricStore } from './metric-store.conformance.ts'

testMetricStore(async () => new MemoryMetricStore())

const deleted = new Set<TraceId>()
const store = new MemoryMetricEvents({
  locate: ({ traceId }) => (deleted.has(traceId) ? 'no_trace' : 'found'),
  newEventId: (): MetricEventId => {
    throw new Error('nothing is recorded here')
  },
  now: () => 0,
})

testMetricEventStore(() => ({
  store,
  write: async (events, origin) => store.put(events, origin),
  deleteTrace: async (_projectId, traceId) => void deleted.add(traceId),
}))

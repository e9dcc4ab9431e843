import { MemoryMetricEventStore } from './memory-metric-event-store.test-support.ts'
import { testMetricEventStore } from './metric-event-store.conformance.ts'

const store = new MemoryMetricEventStore()

testMetricEventStore(() => ({
  store,
  write: async (events) => store.add(...events),
  deleteTrace: async (_projectId, traceId) => store.delete(traceId),
}))

import { MemoryTraceStore } from './memory-trace-store.test-support.ts'
import { testTraceStore } from './trace-store.conformance.ts'

const store = new MemoryTraceStore()
let version = 0

testTraceStore(() => ({
  store,
  write: async (traces, steps) => {
    version += 1
    await store.stage({ version, traces, steps, metricEvents: [] })
    store.publish(version)
  },
  merge: async () => store.merge(),
}))

import { MemoryTraceStore } from './memory-trace-store.test-support.ts'
import { testTraceStore } from './trace-store.conformance.ts'

const store = new MemoryTraceStore()
let version = 0

testTraceStore(() => ({
  store,
  write: async (traces, steps, metricEvents = []) => {
    version += 1
    store.add({ version, traces, steps, metricEvents })
  },
  merge: async () => store.merge(),
}))

import { MemorySummaries } from './memory-summaries.test-support.ts'
import { testTraceSummaries } from './trace-summaries.conformance.ts'

testTraceSummaries(async () => {
  const store = new MemorySummaries()
  return { store, write: async (traces, steps) => store.add(traces, steps) }
})

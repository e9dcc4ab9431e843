import { MemoryTraceStore } from './memory-trace-store.test-support.ts'
import { testTraceStore } from './trace-store.conformance.ts'

const abandoned = new Set<number>()
const store = new MemoryTraceStore(() => abandoned)

testTraceStore(() => ({
  store,
  abandon: (versions) => versions.forEach((version) => abandoned.add(version)),
  merge: async () => store.merge(),
}))

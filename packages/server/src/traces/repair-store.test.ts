import { MemoryTraceStore } from './memory-trace-store.test-support.ts'
import { repairStoreTests } from './repair-store.conformance.ts'

let store = new MemoryTraceStore()

repairStoreTests({
  open: async (journal) => (store = new MemoryTraceStore(() => journal.abandonedVersions())),
  merge: async () => store.merge(),
})

import { MemoryViewStore } from './memory-views.test-support.ts'
import { testViewStore } from './view-store.conformance.ts'

testViewStore(async () => new MemoryViewStore())

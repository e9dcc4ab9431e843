import { testAccessStores } from './access-stores.conformance.ts'
import { MemoryAccess } from './memory-access.test-support.ts'

testAccessStores(async () => new MemoryAccess())

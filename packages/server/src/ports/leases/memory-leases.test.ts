import { testLeaseStore } from './lease-store.conformance.ts'
import { MemoryLeaseStore } from './memory-leases.test-support.ts'

testLeaseStore(async (clock) => new MemoryLeaseStore(clock))

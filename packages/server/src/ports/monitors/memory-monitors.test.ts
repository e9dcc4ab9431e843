import { MemoryLeaseStore } from '../leases/memory-leases.test-support.ts'
import { MemoryMonitorStore } from './memory-monitors.test-support.ts'
import { OTHER, OWN, testMonitorStore } from './monitor-store.conformance.ts'

testMonitorStore(async () => {
  const leases = new MemoryLeaseStore({ now: () => 0 })
  const monitors = new MemoryMonitorStore([OWN, OTHER], leases)
  return { monitors, leases, apply: (transition, recordedAt) => monitors.apply(transition, recordedAt) }
})

import type { Clock } from '../../../lib/time/clock.ts'
import { MemoryClusterData } from './memory-cluster-data.test-support.ts'
import { MemoryClusterStore } from './memory-cluster-store.test-support.ts'
import { MemoryClusterSchedules, MemoryDiscoveryJobs } from './memory-discovery-jobs.test-support.ts'
import { MemoryDiscoveryMemory } from './memory-discovery-memory.test-support.ts'

/** For tests: every store for clusters, in memory and on the same data. */
export function memoryClusters(clock: Clock) {
  const data = new MemoryClusterData()
  const jobs = new MemoryDiscoveryJobs(clock)
  return {
    jobs,
    schedules: new MemoryClusterSchedules(jobs),
    clusters: new MemoryClusterStore(data, jobs),
    memory: new MemoryDiscoveryMemory(data, jobs),
  }
}

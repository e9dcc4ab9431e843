import type { OpenClusterStores } from './cluster-builders.test-support.ts'
import { testClusterScheduleStore } from './cluster-schedule.conformance.ts'
import { testClusterSets } from './cluster-sets.conformance.ts'
import { testClusterStore } from './cluster-store.conformance.ts'
import { testDiscoveryJobStore } from './discovery-job-store.conformance.ts'
import { testDiscoveryMemory } from './discovery-memory.conformance.ts'
import { testVectorMemory } from './vector-memory.conformance.ts'

/** The contract of all stores for clusters. They share their data: an adapter of one is an adapter of all. */
export function testClusterStores(open: OpenClusterStores): void {
  testDiscoveryJobStore(open)
  testClusterScheduleStore(open)
  testClusterStore(open)
  testClusterSets(open)
  testDiscoveryMemory(open)
  testVectorMemory(open)
}

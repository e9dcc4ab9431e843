import { testClusterStores } from '../cluster-stores.conformance.ts'
import { testClusterTraces } from '../cluster-traces.conformance.ts'
import { MemoryClusterTraces } from './memory-cluster-traces.test-support.ts'
import { memoryClusters } from './memory-clusters.test-support.ts'

testClusterStores(async (clock) => memoryClusters(clock))

testClusterTraces(async () => {
  const traces = new MemoryClusterTraces()
  return {
    traces,
    commit: async (committed) => committed.forEach((trace) => traces.commit(trace)),
    score: async (scores) => void traces.scores.push(...scores),
  }
})

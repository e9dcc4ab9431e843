import { testTraceFacets } from '../../ports/traces/trace-facets.conformance.ts'
import { MemoryFacets } from './memory-facets.test-support.ts'

testTraceFacets(async (mostTraces) => {
  const facets = new MemoryFacets(mostTraces)
  return {
    facets,
    async write(traces) {
      for (const trace of traces) {
        const at = facets.traces.findIndex(({ id }) => id === trace.id)
        facets.traces.splice(at === -1 ? facets.traces.length : at, 1, trace)
      }
    },
  }
})

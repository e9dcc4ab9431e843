import type { TraceId } from '@spoor/contract/ids'
import type { TraceRecord } from './trace-record.ts'
import type { TraceStore } from './trace-store.ts'

type Reads = Pick<TraceStore, 'findFeedCandidates' | 'findTraces' | 'findSteps' | 'findStepSizes'>

/**
 * The store as readers may see it. While a commit is written, and as long as a failed one is being repaired, the engine may have merged a trace's
 * committed version into the new one: then the committed one is still in memory, because whoever changes a trace holds it there.
 */
export function committedView(store: Reads, committed: (id: TraceId) => TraceRecord | undefined): Reads {
  return {
    findFeedCandidates: (query) => store.findFeedCandidates(query),
    findSteps: (range) => store.findSteps(range),
    findStepSizes: (range) => store.findStepSizes(range),
    async findTraces(projectId, ids, atVersion) {
      const traces = await store.findTraces(projectId, ids, atVersion)
      return traces.map((trace) => {
        if (trace.version <= atVersion) return trace
        const held = committed(trace.id)
        return held !== undefined && held.version <= atVersion ? held : trace
      })
    },
  }
}

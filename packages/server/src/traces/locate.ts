import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Journal } from '../journal/journal.ts'
import type { TraceCache } from './trace-cache.ts'
import type { TraceStore } from './trace-store.ts'

export interface LocateDependencies {
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly journal: Pick<Journal, 'findStepKey'>
  readonly store: Pick<TraceStore, 'findStepIdsAmong'>
  readonly watermark: () => { readonly version: number }
}

/** Whether a trace of the project, and a step of it, are committed. `stepId` null asks for the trace alone. */
export type Locate = (place: {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
}) => Promise<'found' | 'no_trace' | 'no_step'>

/** Steps that were found are remembered: several files of one step are the rule, and steps never go but with their trace. */
const REMEMBERED_STEPS = 10_000

/** The trace is looked up where writers hold theirs: what was just committed is there without asking the engine. */
export function createLocate({ cache, journal, store, watermark }: LocateDependencies): Locate {
  const steps = new Set<string>()
  return async ({ projectId, traceId, stepId }) => {
    const trace = await cache.hold(projectId, traceId)
    if (trace === null) return 'no_trace'
    cache.release(traceId)
    if (stepId === null) return 'found'
    const name = `${traceId}${stepId}`
    if (steps.has(name)) return 'found'
    // A step with an id that its client chose.
    if (journal.findStepKey(traceId, `i${stepId}`) === undefined) {
      const ids = await store.findStepIdsAmong(projectId, traceId, [stepId], watermark().version)
      if (ids.length === 0) return 'no_step'
    }
    if (steps.size >= REMEMBERED_STEPS) steps.clear()
    steps.add(name)
    return 'found'
  }
}

import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import { BatchedLookUps } from './batched-look-ups.ts'
import type { TraceCache } from './trace-cache.ts'
import type { StepPlace, TraceReads } from '../../ports/traces/trace-store.ts'

export interface LocateDependencies {
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly log: Pick<Log, 'lookUp'>
  readonly store: Pick<TraceReads, 'findStepsAmong'>
  readonly watermark: () => { readonly version: number }
}

/** Whether a trace of the project and one of its steps are committed. `stepId` null: only the trace. */
export type Locate = (place: {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
}) => Promise<'found' | 'no_trace' | 'no_step'>

/** Found steps are cached: a step often has several files, and a step is deleted only with its trace. */
const REMEMBERED_STEPS = 10_000

/**
 * Traces are looked up in the writers' cache, which has fresh commits without a query. Look-ups of steps are batched.
 */
export function createLocate({ cache, log, store, watermark }: LocateDependencies): Locate {
  const steps = new Set<string>()
  const lookUps = new BatchedLookUps<StepPlace, boolean>(async (projectId, places) => {
    const found = await store.findStepsAmong(projectId, places, watermark().version)
    const names = new Set(found.map(nameOf))
    return (place) => names.has(nameOf(place))
  })
  return async ({ projectId, traceId, stepId }) => {
    const trace = await cache.hold(projectId, traceId)
    if (trace === null) return 'no_trace'
    cache.release(traceId)
    if (stepId === null) return 'found'
    const place = { traceId, stepId }
    const name = nameOf(place)
    if (steps.has(name)) return 'found'
    // The journal knows steps whose id the client chose.
    const key = `i${stepId}`
    const known = await log.lookUp({ ...NO_UNKNOWNS, stepKeys: [{ traceId, key }] })
    if (known.stepKey(traceId, key) === undefined) {
      if (!(await lookUps.find(projectId, place))) return 'no_step'
    }
    if (steps.size >= REMEMBERED_STEPS) steps.clear()
    steps.add(name)
    return 'found'
  }
}

function nameOf({ traceId, stepId }: StepPlace): string {
  return `${traceId}${stepId}`
}

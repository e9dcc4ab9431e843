import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { type Log, NO_UNKNOWNS } from '../../ports/log/log.ts'
import { GatheredLookUps } from './gathered-look-ups.ts'
import type { TraceCache } from './trace-cache.ts'
import type { StepPlace, TraceReads } from '../../ports/traces/trace-store.ts'

export interface LocateDependencies {
  readonly cache: Pick<TraceCache, 'hold' | 'release'>
  readonly log: Pick<Log, 'lookUp'>
  readonly store: Pick<TraceReads, 'findStepsAmong'>
  readonly watermark: () => { readonly version: number }
}

/** Whether a trace of the project, and a step of it, are committed. `stepId` null asks for the trace alone. */
export type Locate = (place: {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  readonly stepId: StepId | null
}) => Promise<'found' | 'no_trace' | 'no_step'>

/**
 * Steps that were found are remembered: several files of one step are the rule, and steps never go but with their
 * trace.
 */
const REMEMBERED_STEPS = 10_000

/**
 * The trace is looked up where writers hold theirs: what was just committed is there without asking the engine. Steps
 * are asked for together.
 */
export function createLocate({ cache, log, store, watermark }: LocateDependencies): Locate {
  const steps = new Set<string>()
  const lookUps = new GatheredLookUps<StepPlace, boolean>(async (projectId, places) => {
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
    // A step with an id that its client chose.
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

import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../lib/domain-error.ts'
import type { Watermark } from '../../ports/log/log.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'

export interface FindStepDependencies {
  readonly store: Pick<TraceReads, 'findTracesOfStep' | 'findTraces'>
  readonly watermark: () => Watermark
}

/** Traces that are examined. Only a step id that clients choose is in several, and only deleted traces are skipped. */
const MOST_TRACES = 100

/** The newest trace that has a step with this id. Throws DomainError `not_found`. */
export async function findStep(
  { store, watermark }: FindStepDependencies,
  projectId: ProjectId,
  stepId: StepId,
): Promise<TraceId> {
  const { version } = watermark()
  const ids = await store.findTracesOfStep(projectId, stepId, MOST_TRACES)
  const traces = await store.findTraces(projectId, ids, version)
  const present = new Set(traces.filter(({ deleted }) => !deleted).map(({ id }) => id))
  const found = ids.find((id) => present.has(id))
  if (found === undefined) throw new DomainError('not_found', `There is no step ${stepId} in this project.`)
  return found
}

import type { ProjectId } from '@spoor/contract/ids'
import type { ClusterTraces, StepRow } from '../../ports/clusters/cluster-traces.ts'
import type { TraceVersion } from '../worker/messages.ts'

export interface StepPart {
  readonly traces: readonly TraceVersion[]
  readonly steps: readonly StepRow[]
}

/** At most 1,000 traces with their steps, in parts of about a megabyte; those without a step are the last part. */
export async function* stepParts(
  source: Pick<ClusterTraces, 'steps'>,
  projectId: ProjectId,
  traces: readonly TraceVersion[],
): AsyncGenerator<StepPart> {
  const left = new Map(traces.map(({ id, version }) => [id, { id, version }]))
  for await (const steps of source.steps(projectId, [...left.keys()])) {
    const ids = [...new Set(steps.map(([traceId]) => traceId))]
    const part = ids.flatMap((id) => left.get(id) ?? [])
    for (const id of ids) left.delete(id)
    yield { traces: part, steps }
  }
  if (left.size > 0) yield { traces: [...left.values()], steps: [] }
}

import type { ProjectId } from '@spoor/contract/ids'
import type { TraceFailure } from '../../../ports/clusters/cluster-traces.ts'
import { metadataValueTerms } from '../../../traces/rules/terms.ts'
import { text, texts } from '../engine/literal.ts'

interface Judged {
  readonly projectId: ProjectId
  readonly failure: TraceFailure
}

/**
 * Of a row of `traces`: 1 for traces that failed, 0 for others, -1 if it is not known. `where`: further conditions on
 * the events of a metric.
 */
export function verdict({ projectId, failure }: Judged, where: readonly string[]): string {
  if (failure.kind !== 'metric') return `toInt8(${failedBy(failure)})`
  const events = [`project_id = ${text(projectId)}`, `metric_id = ${text(failure.id)}`, ...where]
  const last = (value: string) =>
    `(SELECT trace_id FROM metric_points WHERE ${events.join(' AND ')} GROUP BY trace_id HAVING argMax(value, (at, id)) ${value})`
  return `multiIf(id IN ${last('= 0')}, 1, id IN ${last('!= 0')}, 0, -1)`
}

function failedBy(failure: Exclude<TraceFailure, { kind: 'metric' }>): string {
  if (failure.kind === 'status') return `status = 'error'`
  return `hasAny(terms, [${texts(metadataValueTerms(failure.key, failure.value))}])`
}

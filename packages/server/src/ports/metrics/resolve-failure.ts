import { parseFailureMeasure } from '@spoor/contract/failure-measure'
import type { ProjectId } from '@spoor/contract/ids'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { TraceFailure } from '../clusters/cluster-traces.ts'
import type { MetricDefinition } from './metric-definition.ts'

export type FindMetric = (
  projectId: ProjectId,
  name: string,
) => Promise<Pick<MetricDefinition, 'id' | 'kind'> | undefined>

/** The measure that `failure_by` names. Throws `validation_failed` when there is none. */
export async function resolveFailure(
  findMetric: FindMetric,
  projectId: ProjectId,
  failureBy: string,
  pointer = '/failure_by',
): Promise<TraceFailure> {
  const found = await findFailure(findMetric, projectId, failureBy)
  if ('wrong' in found) throw invalid({ pointer, code: 'invalid_value', detail: found.wrong })
  return found
}

/** The same; without it, why there is none. */
export async function findFailure(
  findMetric: FindMetric,
  projectId: ProjectId,
  failureBy: string,
): Promise<TraceFailure | { readonly wrong: string }> {
  const measure = parseFailureMeasure(failureBy)
  if (measure === null) return { wrong: 'It is `status`, `metric:NAME` or `metadata:KEY=VALUE`.' }
  if (measure.kind !== 'metric') return measure
  const name = JSON.stringify(measure.name)
  const metric = await findMetric(projectId, measure.name)
  if (metric === undefined) return { wrong: `There is no metric ${name}.` }
  if (metric.kind !== 'boolean')
    return { wrong: `The metric ${name} is ${metric.kind}, and only a boolean one measures failure.` }
  return { kind: 'metric', id: metric.id }
}

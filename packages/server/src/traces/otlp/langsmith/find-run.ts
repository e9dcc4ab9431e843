import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { DomainError } from '../../../lib/domain-error.ts'
import type { SpanEvaluation } from '../../../ports/traces/prepared.ts'
import type { TraceUseCases } from '../../use-cases.ts'
import { stepIdOf } from '../span-ids.ts'
import { BadSpan } from '../wire/span.ts'
import { feedbackOf } from './run-feedback.ts'
import { idOfRun, type Run } from './run.ts'

export type FoundScore = SpanEvaluation & { readonly traceId: TraceId; readonly stepId: StepId | null }

/**
 * The score of a feedback that names a stored run below a root, and no trace. Null for any other feedback, which
 * `decodeLangSmith` takes. Throws DomainError `not_found` for a run that is not stored, and `bad_request`.
 */
export async function findRun(
  traces: Pick<TraceUseCases, 'findOtelTrace' | 'findStep'>,
  projectId: ProjectId,
  feedback: Run,
): Promise<readonly FoundScore[] | null> {
  const { run_id: runId, trace_id: traceName } = feedback
  if (typeof traceName === 'string') return null
  try {
    const spanId = idOfRun(runId, 'run_id')
    if ((await traces.findOtelTrace(projectId, spanId)) !== null) return null
    const stepId = stepIdOf(spanId, spanId)
    const traceId = await traces.findStep(projectId, stepId)
    return feedbackOf(feedback, { spanId, traceId: '' }).map((score) => Object.assign({ traceId, stepId }, score))
  } catch (error) {
    if (error instanceof BadSpan) throw new DomainError('bad_request', `The feedback was refused: ${error.message}.`)
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    throw new DomainError('not_found', `There is no run ${String(runId)} in this project; name its \`trace_id\`.`)
  }
}

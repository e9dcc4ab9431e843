import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { invalid } from '../../../lib/validation/validation-failed.ts'
import type { TraceKey } from '../../../ports/journal/journal.ts'
import type { PreparedStep, PreparedTrace } from '../../../ports/traces/prepared.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { checkLinks } from './links.ts'
import { newTrace } from './new-trace.ts'
import { withMasked } from '../../rules/trace-digest.ts'
import { NewStepKeys } from './step-keys.ts'
import { withSteps } from './with-steps.ts'
import { writeSteps } from './write-steps.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'

export interface CreatedTrace {
  readonly id: TraceId
  readonly stepIds: StepId[]
  readonly committedAt: number
}

/** What an imported trace brings along; a new one gets it from the commit. */
export interface GivenTrace extends Pick<TraceRecord, 'id' | 'flagged' | 'flagReason'> {
  /** Of the step keys of the trace: names what was imported. */
  readonly key: string
  /** SHA-256 (lower-case hex) of that. */
  readonly contentHash: string
}

/**
 * Returns the existing trace, and creates nothing, if this commit or an earlier one used the key. Yields between
 * steps; no other operation may be applied before it has ended.
 */
export function* planCreate(
  batch: CommitBatch,
  projectId: ProjectId,
  prepared: PreparedTrace,
  key: { readonly key: string; readonly bodyHash: string } | null,
  given: GivenTrace | null = null,
): Generator<void, CreatedTrace | TraceKey> {
  const known = key === null ? undefined : batch.traceKey(projectId, key.key)
  if (known !== undefined) return known
  const { steps, masked, ...sent } = prepared
  refuseLinks(batch, projectId, steps, batch.context.mostAttachments)
  const id = given?.id ?? batch.context.newTraceId()
  const fresh = newTrace(batch.context, projectId, id)
  const empty = {
    ...fresh,
    ...sent,
    digest: withMasked(fresh.digest, masked),
    growing: given === null && steps.length === 0 && sent.ownEndedAt === null,
  }
  // The parser has checked that ids are distinct, so all steps are created.
  const keys = new NewStepKeys(id, () => undefined)
  const stepIds: StepId[] = []
  for (const step of steps) {
    const stepId = step.id ?? batch.context.newStepId()
    stepIds.push(stepId)
    keys.addOf(step, stepId)
    yield
  }
  if (given !== null) keys.add(given.key, stepIds[0] ?? batch.context.newStepId(), given)
  const trace = withSteps(batch, empty, steps, stepIds)
  batch.create(empty, key)
  batch.addStepKeys(keys.all)
  yield* writeSteps(batch, empty, steps, stepIds)
  const { flagged, flagReason } = given ?? { flagged: trace.status === 'error', flagReason: null }
  batch.put(empty, { ...trace, flagged, flagReason })
  if (flagged) batch.emit(projectId, { type: 'trace.flagged', traceId: id, reason: flagReason })
  if (!trace.growing) batch.emit(projectId, { type: 'trace.completed', traceId: id })
  return { id, stepIds, committedAt: trace.createdAt }
}

/** `most`: how many attachments the trace may still get. */
export function refuseLinks(
  batch: CommitBatch,
  projectId: ProjectId,
  steps: readonly PreparedStep[],
  most: number,
): void {
  let left = most
  steps.forEach((step, index) => {
    if (step.attachments.length === 0) return
    const refusal = checkLinks(batch, projectId, step, left)
    if (refusal !== null) throw invalid({ pointer: `/steps/${index}/attachments`, ...refusal })
    left -= step.attachments.length
  })
}

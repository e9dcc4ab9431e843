import type { StepId } from '@spoor/contract/ids'
import type { StoredBytes } from '../../../ports/media/media-record.ts'
import { usageOfStep } from '../../../ports/prices/bill.ts'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'
import type { StepRecord } from '../../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { CommitBatch } from '../commit-batch.ts'

/** Bytes by their SHA-256. */
export type StagedBytes = ReadonlyMap<string, StoredBytes>

export const NONE_STAGED: StagedBytes = new Map()

/** Writes new steps of the trace, and yields after each. */
export function* writeSteps(
  batch: CommitBatch,
  trace: TraceRecord,
  steps: readonly PreparedStep[],
  ids: readonly StepId[],
  staged: StagedBytes = NONE_STAGED,
): Generator<void, void> {
  let previous = trace.lastStepId
  for (let index = 0; index < steps.length; index++) {
    const prepared = steps[index] as PreparedStep
    const id = ids[index] as StepId
    const isRoot = prepared.parentStepId === null && prepared.mayBeRoot === true
    batch.steps.push({
      ...placed(batch, trace, prepared),
      id,
      position: trace.stepCount + index,
      parentStepId: prepared.parentStepId ?? (isRoot ? null : previous),
      parentInferred: prepared.parentStepId === null && previous !== null && !isRoot,
    })
    previous = id
    linkMedia(batch, trace, id, prepared.attachments, staged)
    yield
  }
}

/** Writes another version of a step. `links`: attachments that the old one does not have. */
export function rewriteStep(
  batch: CommitBatch,
  trace: TraceRecord,
  prepared: PreparedStep,
  { id, position }: StepRecord,
  links: readonly string[],
  staged: StagedBytes,
): void {
  const { parentStepId } = prepared
  const step = { ...placed(batch, trace, prepared), id, position, parentStepId, parentInferred: false }
  batch.steps.push({ ...step, replaces: true })
  linkMedia(batch, trace, id, links, staged)
}

function placed({ context }: CommitBatch, trace: TraceRecord, prepared: PreparedStep) {
  const { version, now, contextLimit } = context
  const { projectId, id: traceId, createdAt: traceCreatedAt } = trace
  const usage = usageOfStep(prepared, contextLimit)
  return { projectId, traceId, traceCreatedAt, version, receivedAt: now, prepared, usage }
}

function linkMedia(
  batch: CommitBatch,
  { id: traceId, projectId }: TraceRecord,
  stepId: StepId,
  attachments: readonly string[],
  staged: StagedBytes,
): void {
  for (const sha256 of attachments) {
    const stored = staged.get(sha256)
    const link = { id: batch.context.newAttachmentId(), projectId, traceId, stepId, sha256 }
    batch.link(stored === undefined ? link : { ...link, stored })
  }
}

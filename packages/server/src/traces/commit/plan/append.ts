import type { StepId, TraceId } from '@spoor/contract/ids'
import { atOnce } from '../../../lib/flow/in-slices.ts'
import type { PreparedStep } from '../../../ports/traces/prepared.ts'
import type { CommitBatch } from '../commit-batch.ts'
import { change } from './change.ts'
import { attachmentsLeft, checkLinks, type LinkRefusal } from './links.ts'
import { NewStepKeys } from './step-keys.ts'
import { withSteps } from './with-steps.ts'
import { writeSteps } from './write-steps.ts'

export type StepVerdict =
  | { readonly status: 'created' | 'duplicate'; readonly stepId: StepId }
  | {
      readonly status: 'error'
      readonly code: 'idempotency_conflict' | 'step_id_conflict' | LinkRefusal['code']
      readonly detail: string
    }

/** Null when the trace is deleted. */
export function planAppend(batch: CommitBatch, traceId: TraceId, steps: readonly PreparedStep[]): StepVerdict[] | null {
  const before = batch.latest(traceId)
  if (before.deleted) return null
  const fresh: PreparedStep[] = []
  const ids: StepId[] = []
  // A look-up may throw half-way, so the batch is changed only after all steps are checked.
  const keys = new NewStepKeys(traceId, (key) => batch.stepKey(traceId, key))
  let left = attachmentsLeft(batch, before, steps)
  const verdicts = steps.map((step): StepVerdict => {
    const known = recognise(keys, step)
    if (known !== null) return known
    const refusal = step.attachments.length === 0 ? null : checkLinks(batch, before.projectId, step, left)
    if (refusal !== null) return { status: 'error', ...refusal }
    left -= step.attachments.length
    const stepId = step.id ?? batch.context.newStepId()
    keys.addOf(step, stepId)
    ids.push(stepId)
    fresh.push(step)
    return { status: 'created', stepId }
  })
  if (fresh.length === 0) return verdicts
  const after = withSteps(batch, before, fresh, ids)
  batch.addStepKeys(keys.all)
  atOnce(writeSteps(batch, before, fresh, ids))
  change(batch, before, after, null)
  return verdicts
}

/** Finds a stored step by its idempotency key or by the id that the client chose; null if it is new. */
function recognise(keys: NewStepKeys, { id, idempotencyKey, contentHash }: PreparedStep): StepVerdict | null {
  const byKey = idempotencyKey === null ? undefined : keys.find(`k${idempotencyKey}`)
  const known = byKey ?? (id === null ? undefined : keys.find(`i${id}`))
  if (known === undefined) return null
  if (known.contentHash === contentHash) return { status: 'duplicate', stepId: known.stepId }
  if (byKey !== undefined) {
    const detail = `The idempotency key was used for step ${known.stepId} with other content.`
    return { status: 'error', code: 'idempotency_conflict', detail }
  }
  return { status: 'error', code: 'step_id_conflict', detail: `Step ${id} exists in this trace with other content.` }
}

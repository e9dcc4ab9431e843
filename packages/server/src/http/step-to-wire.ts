import type { StepWithAttachments } from './step-attachments.ts'
import { toAttachment, toWireCost, toWireTime, toWireTimeOrNull } from './to-wire.ts'

/** A step as JSON text, with what it cost in US dollars. The members of its body go in verbatim; those that were not sent are not made up. */
export function toStep({ step, attachments }: StepWithAttachments, costUsd: number | null): string {
  const fields = JSON.stringify({
    id: step.id,
    position: step.position,
    name: step.name,
    type: step.type,
    model: step.model,
    status: step.status,
    started_at: toWireTimeOrNull(step.startedAt),
    ended_at: toWireTimeOrNull(step.endedAt),
    received_at: toWireTime(step.receivedAt),
    parent_step_id: step.parentStepId,
    parent_inferred: step.parentInferred,
    idempotency_key: step.idempotencyKey,
    cost_usd: toWireCost(costUsd),
    attachments: attachments.map(toAttachment),
  })
  const sent = step.body.slice(1, -1).trim()
  return sent === '' ? fields : `${fields.slice(0, -1)},${sent}}`
}

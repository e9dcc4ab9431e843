import type { StepId } from '@spoor/contract/ids'
import { JsonScanner } from '../lib/json/json-scan.ts'
import { outlineObject } from '../lib/json/object-outline.ts'
import type { Attachment } from '../ports/media/media-record.ts'
import type { StepCost } from '../pricing/trace-cost.ts'
import type { StepRecord } from '../ports/traces/step-record.ts'
import { toAttachment, toWireCost, toWireTime, toWireTimeOrNull } from './to-wire.ts'

export interface StepWithAttachments {
  readonly step: StepRecord
  readonly attachments: readonly Attachment[]
}

/**
 * A step as JSON text, with its cost, and the step that its usage is counted on. The members of its body are verbatim;
 * members that were not sent are absent.
 */
export function toStep(
  { step, attachments }: StepWithAttachments,
  cost: StepCost,
  countedOn: StepId | undefined,
): string {
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
    cost_usd: toWireCost(cost.usd),
    cost_source: cost.source,
    usage_counted_on: countedOn ?? null,
    attachments: attachments.map(toAttachment),
  })
  const sent = step.body.slice(1, -1).trim()
  return sent === '' ? fields : `${fields.slice(0, -1)},${sent}}`
}

/** The body of a step without its messages; its other members byte for byte. */
export function withoutMessages(body: string): string {
  const bytes = Buffer.from(body)
  const members = outlineObject(new JsonScanner(bytes, Infinity))?.members ?? []
  const kept = members
    .filter(({ keyStart, keyEnd }) => JSON.parse(bytes.toString('utf8', keyStart, keyEnd)) !== 'messages')
    .map(({ keyStart, end }) => bytes.toString('utf8', keyStart, end))
  return `{${kept.join(',')}}`
}

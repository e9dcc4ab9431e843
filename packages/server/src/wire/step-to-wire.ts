import type { StepId } from '@spoor/contract/ids'
import type { StepRow } from '@spoor/contract/schemas/traces/step-row'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { stepSides } from '@spoor/payloads/step-sides'
import { JsonScanner } from '../lib/json/json-scan.ts'
import { outlineObject } from '../lib/json/object-outline.ts'
import type { Attachment } from '../ports/media/media-record.ts'
import type { StepCost } from '../pricing/trace-cost.ts'
import type { StepOfTrace } from '../traces/read/search-steps.ts'
import { timeToFirstToken } from '../traces/intake/first-token.ts'
import { between } from '../traces/rules/rollup.ts'
import type { StepRecord } from '../ports/traces/step-record.ts'
import { toAttachment, toTokenTotals, toWireCost, toWireTime, toWireTimeOrNull } from './to-wire.ts'
import { previewOrNull } from '../traces/intake/step-said.ts'

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

/** A step of a list. */
export function toStepRow({ traceId, traceName, tools, step }: StepOfTrace, cost: StepCost): StepRow {
  const { messages, error, metadata } = JSON.parse(step.body) as Pick<StepBody, 'messages' | 'error' | 'metadata'>
  const { input, output } = stepSides(step.type, messages)
  return {
    id: step.id,
    trace_id: traceId,
    trace_name: traceName,
    name: step.name,
    type: step.type,
    tool: tools[0] ?? null,
    model: step.model,
    status: step.status,
    error: error === undefined ? null : { type: error.type ?? null, message: previewOrNull(error.message ?? null) },
    started_at: toWireTimeOrNull(step.startedAt),
    duration_ms: between(step.startedAt, step.endedAt),
    time_to_first_token_ms: timeToFirstToken(metadata as Record<string, unknown> | undefined, step.startedAt),
    token_usage: toTokenTotals(step.tokenUsage),
    cost_usd: toWireCost(cost.usd),
    input: previewOrNull(input),
    output: previewOrNull(output),
    parent_id: step.parentStepId,
  }
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

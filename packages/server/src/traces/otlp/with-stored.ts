import type { Limits } from '@spoor/contract/limits'
import { parseExactJson } from '@spoor/payloads/exact-json'
import type { Message } from '@spoor/payloads/forms/message-forms'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { joinMetadata } from '../../lib/validation/move-aside.ts'
import type { PreparedSpan, PreparedStep } from '../../ports/traces/prepared.ts'
import { readSender } from '../../ports/traces/sender-counts.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { withoutInputs } from './map/messages.ts'
import { type Content, withContent, withinLimit } from './with-content.ts'
import { printPart, readPart, SPAN_PART } from './span-part.ts'
import { earliest, latest } from '../rules/rollup.ts'

/** What is known of a step; null or undefined is unknown. */
interface Known extends Pick<PreparedStep, 'model' | 'startedAt' | 'endedAt' | 'tokenUsage'> {
  readonly name: string | undefined
  readonly type: string | undefined
  readonly status: 'ok' | 'error' | undefined
  readonly parentStepId: PreparedStep['parentStepId'] | undefined
  readonly inputs: readonly Message[]
  readonly outputs: readonly Message[]
  readonly error: StepBody['error'] | undefined
  /** As it is printed. */
  readonly usage: unknown
  readonly metadata: Readonly<Record<string, unknown>>
  readonly at: number
}

/**
 * The span with what the stored step says beside it. A later part wins, and an earlier one fills what the later one
 * does not say: so parts may come in any order, and once more. Inputs and outputs are merged apart.
 */
export function withStored(span: PreparedSpan, stored: StepRecord, limits: Limits): PreparedSpan {
  const { step } = span
  const old = knownOf(stored, stored.body)
  const own = knownOf(step, step.body.toString())
  const [last, first] = own.at >= old.at ? [own, old] : [old, own]
  const name = last.name ?? first.name ?? step.name
  const type = last.type ?? first.type ?? step.type
  const status = last.status ?? first.status ?? null
  const model = last.model ?? first.model
  const endedAt = latest(last.endedAt, first.endedAt)
  const usage = last.usage === undefined ? first : last
  const inputs = last.inputs.length > 0 ? last.inputs : first.inputs
  const outputs = withoutInputs(inputs, outputsOf(last.outputs.length > 0 ? last : first, type))
  const messages = [...inputs, ...outputs]
  const error = last.error ?? first.error
  const parentStepId = last.parentStepId === undefined ? first.parentStepId : last.parentStepId
  const lacks = (['name', 'type', 'status'] as const).filter((field) => (last[field] ?? first[field]) === undefined)
  const part = {
    at: last.at,
    inputs: inputs.length,
    model: endedAt === null ? model : null,
    lacks: parentStepId === undefined ? [...lacks, 'parent' as const] : lacks,
  }
  const joined = joinMetadata(last.metadata, first.metadata)
  const { [SPAN_PART]: _part, ...metadata } = joined
  const whole = {
    messages: messages.length === 0 ? undefined : messages,
    token_usage: usage.usage,
    metadata: { ...metadata, [SPAN_PART]: printPart(part) },
    error,
  }
  const body = withinLimit(whole, 'other parts', limits, [SPAN_PART])
  const fields = {
    name,
    type,
    status,
    model: endedAt === null ? null : model,
    startedAt: earliest(last.startedAt, first.startedAt),
    endedAt,
    tokenUsage: usage.tokenUsage,
    parentStepId: parentStepId === undefined ? step.parentStepId : parentStepId,
  }
  return withContent(span, fields, body, { ...readSender(step.sender), model })
}

/** An end that does not say that it is one of a tool has its result as an answer. */
function outputsOf({ outputs, type: told }: Known, type: string): readonly Message[] {
  if (type !== 'tool' || told !== undefined) return outputs
  return outputs.map((message) => (message.role === 'assistant' ? { ...message, role: 'tool' } : message))
}

function knownOf(step: PreparedStep | StepRecord, body: string): Known {
  const { messages = [], token_usage: usage, error, metadata = {} } = parseExactJson(body) as Content
  const { at, inputs, model, lacks } = readPart(metadata[SPAN_PART])
  const said = <T>(field: (typeof lacks)[number], value: T) => (lacks.includes(field) ? undefined : value)
  return {
    name: said('name', step.name),
    type: said('type', step.type),
    status: said('status', step.status ?? undefined),
    parentStepId: said('parent', step.parentStepId),
    model: step.model ?? model,
    startedAt: step.startedAt,
    endedAt: step.endedAt,
    tokenUsage: usage === undefined ? null : step.tokenUsage,
    inputs: messages.slice(0, inputs),
    outputs: messages.slice(inputs),
    error: error ?? undefined,
    usage,
    metadata,
    at,
  }
}

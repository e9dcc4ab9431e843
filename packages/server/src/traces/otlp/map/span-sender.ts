import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { type SentStep, senderOf } from '../../intake/step-sender.ts'
import type { Sides } from '../../intake/unread-content.ts'
import type { Span, SpanOrigin } from '../wire/span.ts'
import * as table from './mapping-table.ts'
import type { SpanFields } from './span-fields.ts'

type MappedStep = Pick<SentStep, 'type' | 'model' | 'status' | 'tokenUsage' | 'messages' | 'unread' | 'isAboutAgents'>

/** The scope that made the span, with the marks of its step. */
export function spanSender(
  span: Span,
  { scope }: SpanOrigin,
  fields: SpanFields,
  recorded: StepBody | undefined,
  step: MappedStep,
): string {
  const isUnfinished = span.isPending === true || span.endNs === 0n
  const isRecorded = !isUnfinished && step.status !== 'error' && recorded !== undefined && isWhole(recorded, step)
  return senderOf(scope.name, scope.version, {
    ...step,
    isUnfinished,
    // As of a step of the API.
    ...(isRecorded
      ? { unread: Object.entries(recorded.metadata ?? {}), isAboutAgents: step.type !== 'other', takesTexts: false }
      : { takesTexts: true }),
    empty: isRecorded ? NONE_GIVEN : sidesGiven(fields, step.type),
  })
}

/** Whether a recorder gave the whole step. */
function isWhole({ type = 'other', model, token_usage: usage, messages }: StepBody, step: MappedStep): boolean {
  const hasUsage = usage !== undefined || step.tokenUsage === null
  return messages !== undefined && type === step.type && (model ?? null) === step.model && hasUsage
}

const NONE_GIVEN: Sides = { input: false, output: false }
const ALL_GIVEN: Sides = { input: true, output: true }

function sidesGiven(fields: SpanFields, type: string): Sides {
  if (fields.text(table.TOOL_NAME) === table.MERGED_TOOLS) return ALL_GIVEN
  if (type !== 'tool') return NONE_GIVEN
  const has = (name: string) => fields.has(name)
  return {
    input: has('gen_ai.input.messages') || table.INPUT.some(has),
    output: has('gen_ai.output.messages') || table.OUTPUT.some(has),
  }
}

import { readSender } from '../../../ports/traces/sender-counts.ts'
import { printedSender, type SentStep, senderOf } from '../../intake/step-sender.ts'
import type { Sides } from '../../intake/unread-content.ts'
import type { Span, SpanOrigin } from '../wire/span.ts'
import * as table from './mapping-table.ts'
import type { RecordedStep } from './recorded-fields.ts'
import type { SpanFields } from './span-fields.ts'

type MappedStep = Pick<SentStep, 'type' | 'model' | 'status' | 'tokenUsage' | 'messages' | 'unread' | 'isAboutAgents'>

/** The scope that made the span, with the marks of its step. */
export function spanSender(
  span: Span,
  { scope }: SpanOrigin,
  fields: SpanFields,
  recorded: RecordedStep | null,
  step: MappedStep,
): string {
  const isUnfinished = span.isPending === true || span.endNs === 0n
  const marks = recorded !== null && !isUnfinished && step.status !== 'error' ? marksOfRecorder(recorded, step) : null
  if (marks !== null) return printedSender(scope.name, scope.version, marks)
  const given = recorded?.given.get('messages')
  return senderOf(scope.name, scope.version, {
    ...step,
    messages: given === undefined ? step.messages : JSON.parse(given),
    takesTexts: true,
    isUnfinished,
    empty: sidesGiven(fields, step.type),
  })
}

/** Those of the step that a recorder gave whole, whose messages are not parsed once more; null for other steps. */
function marksOfRecorder({ given, step: own }: RecordedStep, step: MappedStep) {
  const isWhole = own.type === step.type && own.model === step.model && own.tokenUsage === step.tokenUsage
  return isWhole && given.has('messages') ? readSender(own.sender).marks : null
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

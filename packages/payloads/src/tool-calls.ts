import { toMessages } from './forms/message-forms.ts'
import { isFields, isList, parseJson } from './json.ts'
import { partsOf } from './message-parts.ts'
import { isResult, ownMessagesAt } from './step-sides.ts'

export interface ToolCall {
  readonly name: string
  /** Its arguments; a text that is JSON is its value. */
  readonly input: unknown
}

/**
 * The calls of tools that a step makes itself. The history that a model is sent has calls of earlier steps. A step of
 * type `tool` is one call, with the input that it was given; its name is that of the tool.
 */
export function toolCalls(type: string, name: string, messages: unknown): readonly ToolCall[] {
  const sent = isList(messages) ? messages : []
  const calls = (type === 'tool' ? sent : sent.slice(ownMessagesAt(type, sent))).filter(mayCall).flatMap(callsIn)
  return type === 'tool' && calls.length === 0 ? [{ name, input: inputIn(sent) }] : calls
}

/** Most messages are a text: reading their parts would take most of the time. */
function mayCall(message: unknown): boolean {
  if (!isFields(message)) return false
  const { content } = message
  if (typeof content !== 'string') return !isList(content) || 'tool_calls' in message || !content.every(isPlain)
  return Object.keys(message).length > 2 || content.includes('"tool_call"')
}

function isPlain(part: unknown): boolean {
  return isFields(part) && part['type'] === 'text' && !String(part['text']).includes('"tool_call"')
}

function callsIn(message: unknown): readonly ToolCall[] {
  return toMessages(message, 'assistant')
    .flatMap((one) => partsOf(one))
    .flatMap((part) => (part.kind === 'tool-call' ? [{ name: part.name, input: parseJson(part.input) }] : []))
}

/** The first data or text of JSON that a tool was sent. */
function inputIn(messages: readonly unknown[]): unknown {
  const first = messages.find((message) => isFields(message) && !isResult(message))
  return toMessages(first, 'assistant')
    .flatMap((one) => partsOf(one))
    .map((part) => (part.kind === 'json' ? part.value : part.kind === 'text' ? parseJson(part.text) : undefined))
    .find(isFields)
}

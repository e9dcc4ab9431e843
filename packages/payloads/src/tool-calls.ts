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
  const calls = (type === 'tool' ? sent : sent.slice(ownMessagesAt(type, sent))).flatMap(callsIn)
  return type === 'tool' && calls.length === 0 ? [{ name, input: inputIn(sent) }] : calls
}

/** Whether a step makes a call, or knows one of earlier steps from its history. */
export const knowsToolCalls = (messages: unknown) => isList(messages) && messages.some((one) => callsIn(one).length > 0)

/** Most parts are texts or data: to read those would take most of the time. */
function callsIn(message: unknown): readonly ToolCall[] {
  if (!isFields(message)) return []
  const content = isList(message['content']) ? message['content'].filter((part) => !isPlain(part)) : message['content']
  const isAll = 'role' in message && Object.keys(message).length === 2
  if (isAll && isList(content) && content.length === 0) return []
  return toMessages({ ...message, content }, 'assistant')
    .flatMap((one) => partsOf(one))
    .flatMap((part) => (part.kind === 'tool-call' ? [{ name: part.name, input: parseJson(part.input) }] : []))
}

/** It has no call. */
function isPlain(part: unknown): boolean {
  if (!isFields(part)) return false
  return part['type'] === 'data' || (part['type'] === 'text' && !String(part['text']).includes('"tool_call"'))
}

/** The first data or text of JSON that a tool was sent. */
function inputIn(messages: readonly unknown[]): unknown {
  const first = messages.find((message) => isFields(message) && !isResult(message))
  const parts = isFields(first) && isList(first['content']) ? first['content'] : []
  const data = parts.find((part) => isFields(part) && part['type'] === 'data' && isFields(part['data']))
  if (isFields(data)) return data['data']
  return toMessages(first, 'assistant')
    .flatMap((one) => partsOf(one))
    .map((part) => (part.kind === 'json' ? part.value : part.kind === 'text' ? parseJson(part.text) : undefined))
    .find(isFields)
}

import { toMessages } from './forms/message-forms.ts'
import { type Fields, isFields, isList } from './json.ts'
import { partsOf } from './message-parts.ts'
import { printPart } from './print-message.ts'
import { isModelRole } from './said.ts'
import { isResult, ownMessagesAt } from './step-sides.ts'

/** What a step was given since the model spoke last, and what it gave back, as texts; null for nothing. */
export interface StepExchange {
  readonly given: string | null
  readonly returned: string | null
}

/**
 * Two steps that were given the same, or returned the same, have the same texts: ids and other members beside the
 * content are left out. Only results of tools are what a step returned, unless it is a call of a model. What a model
 * says beside its own calls (`asks`) is not what it returned.
 */
export function stepExchange(type: string, messages: unknown, asks: boolean): StepExchange {
  if (!isList(messages)) return { given: null, returned: null }
  if (type !== 'llm') return { given: null, returned: textsOf(messages.filter(isResult)) }
  const own = ownMessagesAt(type, messages)
  const before = messages.slice(0, own)
  const given = textsOf(before.slice(before.findLastIndex(isOfModel) + 1))
  return { given, returned: asks ? null : textsOf(messages.slice(own)) }
}

function isOfModel(message: unknown): boolean {
  return isFields(message) && typeof message['role'] === 'string' && isModelRole(message['role'])
}

function textsOf(messages: readonly unknown[]): string | null {
  const text = messages.flatMap(printed).join('\n')
  return text.trim() === '' ? null : text
}

function printed(message: unknown): readonly string[] {
  const content = isFields(message) ? message['content'] : undefined
  // Most messages are texts: to read them as any form would take most of the time.
  if (isList(content) && content.length > 0 && content.every(isPlainText)) return content.map(({ text }) => text)
  const parts = toMessages(message, 'assistant').flatMap((one: Fields) => partsOf(one))
  return parts
    .filter(({ kind }) => kind !== 'others')
    .map((part) => printPart(part.kind !== 'document' && 'id' in part ? { ...part, id: null } : part))
}

function isPlainText(part: unknown): part is { readonly text: string } {
  return isFields(part) && part['type'] === 'text' && typeof part['text'] === 'string'
}

import { toMessages } from './forms/message-forms.ts'
import { isFields, isList } from './json.ts'
import { printParts } from './print-message.ts'
import { isModelRole } from './said.ts'

const OF_RESULTS: ReadonlySet<string> = new Set(['tool', 'function'])

/** Whether a message is what a tool returned. */
export function isResult(message: unknown): boolean {
  return OF_RESULTS.has(roleIn(message))
}

/** Items of OpenAI's responses have no role: a call is the model's. */
function roleIn(message: unknown): string {
  const role = isFields(message) ? message['role'] : ''
  return typeof role === 'string' ? role.toLowerCase() : 'assistant'
}

/**
 * Where the messages begin that a step itself brought: the last ones by models and tools in a row; of an answer of a
 * model, those of the model alone. The history before them belongs to earlier steps.
 */
export function ownMessagesAt(type: string, messages: readonly unknown[]): number {
  const isAnswer = type === 'llm' && !isResult(messages.at(-1))
  return messages.findLastIndex((one) => !isModelRole(roleIn(one)) && (isAnswer || !isResult(one))) + 1
}

/** What a step was given last, and what it said last, as plain text; null for nothing. */
export function stepSides(type: string, messages: unknown): { input: string | null; output: string | null } {
  if (!isList(messages)) return { input: null, output: null }
  if (type === 'tool')
    return { input: textOf(messages.find((one) => !isResult(one))), output: textOf(messages.findLast(isResult)) }
  const at = ownMessagesAt(type, messages)
  return { input: textOf(messages[at - 1]), output: at < messages.length ? textOf(messages.at(-1)) : null }
}

function textOf(message: unknown): string | null {
  const text = toMessages(message, 'assistant').map(printParts).join('\n').trim()
  return text === '' ? null : text
}

import { toPart } from './forms/part-forms.ts'
import { isFields } from './json.ts'
import { writtenCall } from './message-parts.ts'

/*
 * The request and the answer of a run, by its messages. Message formats are open, so values of any shape are accepted.
 */

const USERS: ReadonlySet<string> = new Set(['user', 'human'])
const MODELS: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])

export function isUserRole(role: string): boolean {
  return USERS.has(role.toLowerCase())
}

export function isModelRole(role: string): boolean {
  return MODELS.has(role.toLowerCase())
}

/** The text of the first message of a user that has one; null if none has. */
export function firstRequest(messages: unknown): string | null {
  if (!Array.isArray(messages)) return null
  for (const message of messages) {
    const text = textBy(message, USERS)
    if (text !== null) return text
  }
  return null
}

/** The text of the last message of a model that has one; null if none has. */
export function lastAnswer(messages: unknown): string | null {
  if (!Array.isArray(messages)) return null
  for (let at = messages.length - 1; at >= 0; at--) {
    const text = textBy(messages[at], MODELS)
    if (text !== null) return text
  }
  return null
}

/** The text parts of a message by one of these roles; null if it is another's, or they are blank. */
function textBy(message: unknown, roles: ReadonlySet<string>): string | null {
  if (!isFields(message)) return null
  const { role, content } = message
  if (typeof role !== 'string' || !roles.has(role.toLowerCase())) return null
  const texts = Array.isArray(content) ? content.flatMap(textsOfPart) : textsOfPart(content)
  const text = texts.join('\n\n').trim()
  return text === '' ? null : text
}

function textsOfPart(part: unknown): string[] {
  if (typeof part === 'string') return toTexts(part)
  if (!isFields(part)) return []
  const { type, text } = part
  // Most parts are texts.
  if (type === 'text' && typeof text === 'string') return toTexts(text)
  return toPart(part).flatMap((one) =>
    one.type === 'text' && typeof one['text'] === 'string' ? toTexts(one['text']) : [],
  )
}

function toTexts(text: string): string[] {
  return writtenCall(text) === null ? [text] : []
}

/*
 * What a run was asked and what it answered, as lists and the page of a trace show it. The server and the dashboard
 * read messages by these rules alone. Message formats are open, so values of any shape are accepted.
 */

/** Most characters of a preview, UTF-16. */
export const PREVIEW_LENGTH = 240
/** ASCII: with `…` the whole row would be printed at half the speed. */
const MORE = '...'

const USERS: ReadonlySet<string> = new Set(['user', 'human'])
const MODELS: ReadonlySet<string> = new Set(['assistant', 'ai', 'model'])
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])
/** What steps of these types say is no answer to the user. */
const SILENT_STEPS: ReadonlySet<string> = new Set([
  'tool',
  'retrieval',
  'embedding',
  'rerank',
  'guardrail',
  'evaluator',
])

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

/** Whether what a step of this type says counts as an answer: not what a tool or an evaluator says. */
export function mayAnswer(stepType: string): boolean {
  return !SILENT_STEPS.has(stepType)
}

/** `TimeoutError: It took too long.`; null for an error without a type and a message. */
export function failureText(error: unknown): string | null {
  if (!isFields(error)) return null
  const said = [error['type'], error['message']].filter((each) => typeof each === 'string' && each.trim() !== '')
  return said.length === 0 ? null : said.join(': ')
}

/**
 * The beginning of a text in one line: runs of white space are one blank, control characters are left out. At most
 * PREVIEW_LENGTH characters, which end with `...` if there is more. Valid Unicode.
 */
export function toPreview(text: string): string {
  const begins = folded(text.slice(0, 2 * PREVIEW_LENGTH))
  const line = begins.length > PREVIEW_LENGTH || text.length <= 2 * PREVIEW_LENGTH ? begins : folded(text)
  if (line.length <= PREVIEW_LENGTH) return line.toWellFormed()
  const end = PREVIEW_LENGTH - MORE.length
  // Half of a character would not be valid.
  const isCut = isHighSurrogate(line.charCodeAt(end - 1))
  return `${line.slice(0, isCut ? end - 1 : end).trimEnd()}${MORE}`.toWellFormed()
}

/** Colours of terminals and other characters that show nothing. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const UNSEEN = /\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000e-\u001f\u007f]/g

/** Most texts have none of it: one test instead of two replacements. */
// oxlint-disable-next-line no-control-regex -- control characters are folded or removed
const TO_FOLD = /[\u0000-\u001f\u007f\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/

function folded(text: string): string {
  return TO_FOLD.test(text) ? text.replace(UNSEEN, '').replace(/\s+/g, ' ').trim() : text.trim()
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** The text parts of a message by one of these roles; null if it is another's, or they are blank. */
function textBy(message: unknown, roles: ReadonlySet<string>): string | null {
  if (!isFields(message)) return null
  const { role, content } = message
  if (typeof role !== 'string' || !roles.has(role.toLowerCase())) return null
  const texts = Array.isArray(content) ? content.flatMap(textOfPart) : textOfPart(content)
  const text = texts.join('\n\n').trim()
  return text === '' ? null : text
}

function textOfPart(part: unknown): string[] {
  const text = typeof part === 'string' ? part : isFields(part) && TEXT_PARTS.has(part['type']) ? part['text'] : null
  return typeof text === 'string' && !isWrittenCall(text) ? [text] : []
}

/** Some agents write a call of a tool as text: `{"tool_call": "search", "arguments": "{…}"}`. */
function isWrittenCall(text: string): boolean {
  if (!text.includes('"tool_call"')) return false
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
  if (!isFields(value) || typeof value['tool_call'] !== 'string' || value['tool_call'] === '') return false
  return value['arguments'] !== undefined && Object.keys(value).length === 2
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

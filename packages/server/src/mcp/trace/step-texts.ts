import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import type { Step } from '@spoor/contract/schemas/traces/step'

/** A text of a step that may be long. `part` names it when a caller reads on. */
export interface StepText {
  readonly part: string
  readonly text: string
}

/** The error, the metadata and the messages, in this order. */
export function stepTexts(step: Step): StepText[] {
  const texts: StepText[] = []
  if (step.error !== undefined) texts.push({ part: 'error', text: errorText(step.error) })
  if (step.metadata !== undefined && Object.keys(step.metadata).length > 0)
    texts.push({ part: 'metadata', text: JSON.stringify(step.metadata) })
  for (const [at, message] of (step.messages ?? []).entries())
    texts.push({ part: `messages/${at}`, text: messageText(message) })
  return texts
}

function errorText({ type, message }: NonNullable<Step['error']>): string {
  return [type, message].filter((text) => text !== undefined).join(': ')
}

/** `role: text`. Parts and fields of other kinds follow as JSON. */
function messageText({ role, content, ...others }: MessageBody): string {
  const parts = Array.isArray(content) ? content : content === undefined ? [] : [content]
  const texts = parts.map((part) => (isText(part) ? part.text : JSON.stringify(part)))
  if (Object.keys(others).length > 0) texts.push(JSON.stringify(others))
  return `${role}: ${texts.join('\n')}`
}

function isText(part: unknown): part is { readonly type: 'text'; readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
}

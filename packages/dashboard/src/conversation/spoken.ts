import { type MessagePart, partsOf } from '@spoor/payloads/message-parts'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { isModelRole, isUserRole } from '@spoor/payloads/said'
import { parseStructured } from '@spoor/payloads/exact-json'

/** A message as a conversation shows it. */
export interface Spoken {
  readonly role: string
  /** The call that the whole message answers; null if it does not say so. */
  readonly callId: string | null
  /** The tool whose message it is; null if it does not say so. */
  readonly toolName: string | null
  readonly parts: readonly MessagePart[]
  /** Equal for the same words in another form: senders repeat messages without thinking and with other fields. */
  readonly key: string
}

/** Instructions of the developer; not what was said. */
const SILENT: ReadonlySet<string> = new Set(['system', 'developer'])

export function spokenIn({ messages = [] }: { readonly messages?: readonly MessageBody[] }): Spoken[] {
  return messages.filter(({ role }) => !SILENT.has(role)).map(toSpoken)
}

/** The instructions of a step as one text; null without any. */
export function promptIn({ messages = [] }: { readonly messages?: readonly MessageBody[] }): string | null {
  const parts = messages
    .filter(({ role }) => SILENT.has(role))
    .flatMap(({ role: _role, ...said }) => orAll(partsOf(said, parseStructured), ({ kind }) => kind !== 'others'))
  if (parts.length === 0) return null
  return parts.map((part) => ('text' in part ? part.text : JSON.stringify(part, null, 2))).join('\n\n')
}

/** A message of a tool, and the call that it answers; null if it does not say so. */
export function withoutCallId(message: MessageBody): {
  readonly callId: string | null
  readonly message: Omit<MessageBody, 'role'>
} {
  const { tool_call_id: id, ...rest } = message as MessageBody & { readonly tool_call_id?: unknown }
  return isOfTool(message.role) && typeof id === 'string' ? { callId: id, message: rest } : { callId: null, message }
}

/**
 * Drops empty texts, finish reasons that only announce calls, and other fields beside what is said. A call is of the
 * model; Koog sends it as a message of the tool.
 */
function toSpoken(message: MessageBody): Spoken {
  const { role: sent } = message
  const { callId, message: whole } = withoutCallId(message)
  const { finish_reason: reason, ...said } = whole as typeof whole & { readonly finish_reason?: unknown }
  const announcesCalls = typeof reason === 'string' && reason.startsWith('tool')
  const all = partsOf(announcesCalls ? said : whole, parseStructured).filter(
    (part) => part.kind !== 'text' || part.text !== '',
  )
  const isCalling = isOfTool(sent) && all.length > 0 && all.every(({ kind }) => kind === 'tool-call')
  const role = isCalling ? 'assistant' : sent
  const { name } = message as { readonly name?: unknown }
  const toolName = isOfTool(role) && typeof name === 'string' ? name : null
  const parts = orAll(all, ({ kind }) => kind !== 'others')
  const compared = orAll(parts, ({ kind }) => kind !== 'thinking').map((part) =>
    part.kind === 'text' ? part.text : part,
  )
  return { role, callId, toolName, parts, key: JSON.stringify([speakerOf(role), callId, compared]) }
}

/** Providers have several words for the two sides. */
function speakerOf(role: string): string {
  return isModelRole(role) ? 'assistant' : isUserRole(role) ? 'user' : role
}

/** Those that pass, or all if none does. */
function orAll<T>(all: readonly T[], passes: (one: T) => boolean): readonly T[] {
  const some = all.filter(passes)
  return some.length === 0 ? all : some
}

export function isOfTool(role: string): boolean {
  return role === 'tool' || role === 'function'
}

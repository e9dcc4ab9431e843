import type { Step } from '@spoor/contract/schemas/traces/step'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { type MessagePart, partsOf } from '../trace/model/message-parts.ts'

/** One entry of a conversation, with the step that it comes from. */
export type Turn =
  | { readonly kind: 'message'; readonly stepId: string; readonly role: string; readonly parts: readonly MessagePart[] }
  /** Calls of tools and what they returned: parts of messages, or a step of its own. */
  | { readonly kind: 'tools'; readonly stepId: string; readonly title: string; readonly parts: readonly MessagePart[] }
  | { readonly kind: 'error'; readonly stepId: string; readonly step: string; readonly text: string }

type ReadStep = Pick<Step, 'id' | 'type' | 'name' | 'status' | 'started_at' | 'position' | 'messages' | 'error'>

/** Instructions of the developer; not what was said. */
const SILENT: ReadonlySet<string> = new Set(['system', 'developer'])
const SPOKEN_BY_MODELS: ReadonlySet<string> = new Set(['llm', 'chat', 'generation'])
/** A part of this kind does not belong to what was said. */
const OF_TOOLS: ReadonlySet<MessagePart['kind']> = new Set(['tool-call', 'tool-result'])

/** Where a step began to say something that continues nothing before it. */
interface Beginning {
  /** Its first message in the order of all. */
  readonly at: number
  /** How many messages the step had. */
  readonly length: number
}

/**
 * The turns of a conversation, trace by trace. Some agents send with each step only what is new, others repeat all
 * messages before it. Each message is shown once, with the step that brought it first.
 */
export class ConversationReader {
  /** The messages so far, as keys, in order. */
  readonly #said: string[] = []
  readonly #beginnings: Beginning[] = []

  /** The turns of the next trace. */
  read(steps: readonly ReadStep[]): readonly Turn[] {
    const traceBegins = this.#said.length
    const ordered = steps.toSorted((a, b) => startOf(a) - startOf(b) || a.position - b.position)
    const models = ordered.filter((step) => SPOKEN_BY_MODELS.has(step.type) && (step.messages?.length ?? 0) > 0)
    // Without steps of models, what the others say is the conversation.
    const speaking = new Set(models.length > 0 ? models : ordered)
    const inMessages = models.some((step) => step.messages?.some((message) => isOfTools(message)))
    const turns: Turn[] = []
    for (const step of ordered) {
      if (speaking.has(step)) turns.push(...this.#turnsOf(step, traceBegins))
      else if (step.type === 'tool' && !inMessages) turns.push(toolStep(step))
      if (step.status === 'error') turns.push({ kind: 'error', stepId: step.id, ...failureOf(step) })
    }
    return turns
  }

  #turnsOf(step: ReadStep, traceBegins: number): Turn[] {
    const messages = (step.messages ?? []).filter(({ role }) => !SILENT.has(role))
    const keys = messages.map((message) => JSON.stringify(message))
    const repeated = Math.max(0, ...this.#beginnings.map((beginning) => this.#repeated(keys, beginning, traceBegins)))
    if (repeated === 0 && keys.length > 0) this.#beginnings.push({ at: this.#said.length, length: keys.length })
    this.#said.push(...keys.slice(repeated))
    return messages.slice(repeated).flatMap((message) => toTurns(step.id, message))
  }

  /**
   * How many of these messages repeat what was said since a beginning, in its order. The same first message alone is no
   * repetition: people say "yes" twice. It is one if the other step had no more, in the same trace.
   */
  #repeated(keys: readonly string[], { at, length }: Beginning, traceBegins: number): number {
    if (keys[0] !== this.#said[at]) return 0
    let count = 0
    for (let next = at; count < keys.length; count++) {
      const found = this.#said.indexOf(keys[count]!, next)
      if (found === -1) break
      next = found + 1
    }
    return count > 1 || (length === 1 && at >= traceBegins) ? count : 0
  }
}

function toTurns(stepId: string, message: MessageBody): Turn[] {
  const parts = partsOf(message)
  if (message.role === 'tool' || message.role === 'function') {
    return [{ kind: 'tools', stepId, title: 'Tool result', parts }]
  }
  const spoken = parts.filter(({ kind }) => !OF_TOOLS.has(kind))
  const tools = parts.filter(({ kind }) => OF_TOOLS.has(kind))
  const turns: Turn[] = []
  if (spoken.length > 0) turns.push({ kind: 'message', stepId, role: message.role, parts: spoken })
  if (tools.length > 0) turns.push({ kind: 'tools', stepId, title: titleOf(tools), parts: tools })
  return turns
}

function titleOf(parts: readonly MessagePart[]): string {
  const names = parts.flatMap((part) => (part.kind === 'tool-call' ? [part.name] : []))
  if (names.length === 0) return parts.length === 1 ? 'Tool result' : `${parts.length} tool results`
  return `Calls ${names.join(', ').slice(0, 200)}`
}

function toolStep(step: ReadStep): Turn {
  const parts = (step.messages ?? []).flatMap((message) => partsOf(message))
  return { kind: 'tools', stepId: step.id, title: step.name, parts }
}

function isOfTools(message: MessageBody): boolean {
  return message.role === 'tool' || partsOf(message).some(({ kind }) => OF_TOOLS.has(kind))
}

function failureOf({ name, error }: ReadStep): { readonly step: string; readonly text: string } {
  const { type, message } = (error ?? {}) as { readonly type?: unknown; readonly message?: unknown }
  const text = [type, message].filter((each) => typeof each === 'string' && each !== '').join(': ')
  return { step: name, text }
}

/** Steps without a start come where they arrived. */
function startOf({ started_at: startedAt }: ReadStep): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

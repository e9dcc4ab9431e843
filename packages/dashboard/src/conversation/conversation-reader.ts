import { failureText } from '@spoor/contract/said-text'
import type { Step } from '@spoor/contract/schemas/traces/step'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { type MessagePart, partsOf } from '../trace/model/message-parts.ts'
import { OpenCalls } from './open-calls.ts'
import type { Turn } from './turn.ts'

type ReadStep = Pick<Step, 'id' | 'type' | 'name' | 'status' | 'started_at' | 'position' | 'messages' | 'error'>

/** Instructions of the developer; not what was said. */
const SILENT: ReadonlySet<string> = new Set(['system', 'developer'])
const SPOKEN_BY_MODELS: ReadonlySet<string> = new Set(['llm', 'chat', 'generation'])

/** The newest steps with the same first message that are compared with the next one. */
const MOST_BEGINNINGS = 20

/** Where a step began to say something that continues nothing before it. */
interface Beginning {
  /** Its first message in the order of all. */
  readonly at: number
  /** How many messages the step had. */
  readonly length: number
}

/**
 * The turns of a conversation, trace by trace. Some agents send with each step only what is new, others repeat all
 * messages before it. Each message is shown once, with the step that brought it first. A call and its result are one
 * turn: reading more steps may complete a turn that was returned before.
 */
export class ConversationReader {
  /** The messages so far, as keys, in order. */
  readonly #said: string[] = []
  /** By their first message. */
  readonly #beginnings = new Map<string, Beginning[]>()
  readonly #calls = new OpenCalls()

  /** The turns of the next trace. */
  read(steps: readonly ReadStep[]): readonly Turn[] {
    const traceBegins = this.#said.length
    const ordered = steps.toSorted((a, b) => startOf(a) - startOf(b) || a.position - b.position)
    const models = ordered.filter((step) => SPOKEN_BY_MODELS.has(step.type) && (step.messages?.length ?? 0) > 0)
    // Without steps of models, what the others say is the conversation.
    const speaking = new Set(models.length > 0 ? models : ordered)
    const inMessages = models.some((step) => step.messages?.some((message) => isOfTools(message)))
    const turns: Turn[] = []
    // Some models say only what they answered: a step around them says what they were asked.
    const asking = models.some(asks) ? undefined : ordered.find((step) => !speaking.has(step) && asks(step))
    for (const step of ordered) {
      const failure = step.status === 'error' ? failureOf(step) : null
      if (step === asking) turns.push(...this.#turnsOf({ ...step, messages: questionOf(step) }, traceBegins))
      if (speaking.has(step)) turns.push(...this.#turnsOf(step, traceBegins))
      else if (step.type === 'tool' && !inMessages) {
        turns.push(toolStep(step, failure))
        continue
      } else if (this.#calls.place({ id: step.id, name: step.name, error: failure })) continue
      if (failure !== null) turns.push({ kind: 'error', stepId: step.id, step: step.name, text: failure })
    }
    return turns.filter(({ kind, stepId }) => kind !== 'error' || !this.#calls.claimed.has(stepId))
  }

  #turnsOf(step: ReadStep, traceBegins: number): Turn[] {
    const messages = (step.messages ?? []).filter(({ role }) => !SILENT.has(role)).map(toSpoken)
    const keys = messages.map((message) => JSON.stringify(message))
    const [first] = keys
    if (first === undefined) return []
    const beginnings = this.#beginnings.get(first) ?? []
    const repeated = beginnings.reduce((most, each) => Math.max(most, this.#repeated(keys, each, traceBegins)), 0)
    if (repeated === 0) {
      const begins = { at: this.#said.length, length: keys.length }
      this.#beginnings.set(first, [...beginnings.slice(1 - MOST_BEGINNINGS), begins])
    }
    this.#said.push(...keys.slice(repeated))
    return messages.slice(repeated).flatMap((message) => this.#toTurns(step.id, message))
  }

  /**
   * How many of these messages repeat what was said since a beginning, in its order. The same first message alone is no
   * repetition: people say "yes" twice. It is one if the other step had no more, in the same trace.
   */
  #repeated(keys: readonly string[], { at, length }: Beginning, traceBegins: number): number {
    let count = 0
    for (let next = at; count < keys.length; count++) {
      const found = this.#said.indexOf(keys[count]!, next)
      if (found === -1) break
      next = found + 1
    }
    return count > 1 || (length === 1 && at >= traceBegins) ? count : 0
  }

  #toTurns(stepId: string, { role, callId, parts }: Spoken): Turn[] {
    if (isOfTool(role) && !parts.some(({ kind }) => kind === 'tool-result')) {
      return this.#resultTurns(stepId, callId, false, parts)
    }
    const turns: Turn[] = []
    let spoken: MessagePart[] = []
    const speak = () => {
      if (spoken.length > 0) turns.push({ kind: 'message', stepId, role, parts: spoken })
      spoken = []
    }
    for (const part of parts) {
      if (part.kind !== 'tool-call' && part.kind !== 'tool-result') {
        spoken.push(part)
        continue
      }
      speak()
      if (part.kind === 'tool-call') turns.push(this.#calls.add(stepId, part))
      else turns.push(...this.#resultTurns(stepId, part.id, part.failed, part.parts))
    }
    speak()
    return turns
  }

  #resultTurns(stepId: string, id: string | null, failed: boolean, result: readonly MessagePart[]): Turn[] {
    if (this.#calls.answer(id, failed, result)) return []
    return [{ kind: 'tool', stepId, name: null, input: undefined, result, failed, error: null }]
  }
}

/** A message as it is shown, so that the same words in two forms are equal. */
interface Spoken {
  readonly role: string
  /** The call that the whole message answers; null if it does not say so. */
  readonly callId: string | null
  readonly parts: readonly MessagePart[]
}

/** Without what is no part of a conversation: empty texts, and why a model stopped. */
function toSpoken(message: MessageBody): Spoken {
  const { role, finish_reason: _reason, ...said } = message as MessageBody & Readonly<Record<string, unknown>>
  const { tool_call_id: id, ...result } = said
  const callId = isOfTool(role) && typeof id === 'string' ? id : null
  const parts = partsOf(callId === null ? said : result).filter((part) => part.kind !== 'text' || part.text !== '')
  return { role, callId, parts }
}

function toolStep(step: ReadStep, error: string | null): Turn {
  const messages = step.messages ?? []
  const [input, ...more] = messages.filter(({ role }) => role === 'assistant').flatMap((message) => partsOf(message))
  const result = messages.filter(({ role }) => role !== 'assistant').flatMap((message) => partsOf(message))
  const returned = [...more, ...result]
  return {
    kind: 'tool',
    stepId: step.id,
    name: step.name,
    input: input?.kind === 'json' ? input.value : input?.kind === 'text' ? input.text : undefined,
    result: returned.length === 0 ? null : returned,
    failed: error !== null,
    error,
  }
}

function isOfTool(role: string): boolean {
  return role === 'tool' || role === 'function'
}

function isOfTools(message: MessageBody): boolean {
  return isOfTool(message.role) || partsOf(message).some(({ kind }) => kind === 'tool-call' || kind === 'tool-result')
}

function asks({ messages }: ReadStep): boolean {
  return messages?.some(({ role }) => role === 'user') === true
}

/** The messages before the first answer. */
function questionOf({ messages = [] }: ReadStep): MessageBody[] {
  const answered = messages.findIndex(({ role }) => role === 'assistant')
  return messages.slice(0, answered === -1 ? undefined : answered)
}

function failureOf({ error }: ReadStep): string {
  return failureText(error) ?? ''
}

/** Steps without a start come where they arrived. */
function startOf({ started_at: startedAt }: ReadStep): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

import { failureText, mayAnswer } from '@spoor/contract/said-text'
import type { Step } from '@spoor/contract/schemas/traces/step'
import type { MessageBody } from '@spoor/contract/schemas/traces/trace-body'
import { type MessagePart, partsOf } from '@spoor/payloads/message-parts'
import { isModelRole, isUserRole } from '@spoor/payloads/said'
import { parseStructured } from '../lib/exact-json.ts'
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
    const speaking = new Map((models.length > 0 ? models : ordered).map((step) => [step, spokenIn(step)]))
    const inMessages = models.some((step) => speaking.get(step)?.some(isOfTools))
    const withQuestion = models.some(hasQuestion) ? undefined : stepWithQuestion(ordered, models[0])
    const turns: Turn[] = []
    if (withQuestion !== undefined) turns.push(...this.#turnsOf(withQuestion.id, questionIn(withQuestion), traceBegins))
    for (const step of ordered) {
      const failure = step.status === 'error' ? failureOf(step) : null
      const spoken = speaking.get(step)
      if (spoken !== undefined) turns.push(...this.#turnsOf(step.id, spoken, traceBegins))
      else if (step.type === 'tool' && !inMessages) {
        turns.push(toolStep(step, failure))
        continue
      } else {
        const result = mayAnswer(step.type) ? null : exchangeIn(step).result
        if (this.#calls.place({ id: step.id, name: step.name, error: failure, result })) continue
      }
      if (failure !== null) turns.push({ kind: 'error', stepId: step.id, step: step.name, text: failure })
    }
    return turns.filter(({ kind, stepId }) => kind !== 'error' || !this.#calls.claimed.has(stepId))
  }

  #turnsOf(stepId: string, messages: readonly Spoken[], traceBegins: number): Turn[] {
    const [first] = messages
    if (first === undefined) return []
    const keys = messages.map(({ key }) => key)
    const beginnings = this.#beginnings.get(first.key) ?? []
    // A step with one answer repeats nothing: models say "Let me check." twice.
    const mayRepeatOne = messages.length > 1 || !isModelRole(first.role)
    const repeated = beginnings.reduce(
      (most, each) => Math.max(most, this.#repeated(keys, each, mayRepeatOne && each.at >= traceBegins)),
      0,
    )
    if (repeated === 0) {
      const begins = { at: this.#said.length, length: keys.length }
      this.#beginnings.set(first.key, [...beginnings.slice(1 - MOST_BEGINNINGS), begins])
    }
    this.#said.push(...keys.slice(repeated))
    return messages.slice(repeated).flatMap((message) => this.#toTurns(stepId, message))
  }

  /**
   * How many of these messages repeat what was said since a beginning, in its order. The same first message alone is no
   * repetition: people say "yes" twice. If `mayBeOne`, it is one if the other step had no more.
   */
  #repeated(keys: readonly string[], { at, length }: Beginning, mayBeOne: boolean): number {
    let count = 0
    for (let next = at; count < keys.length; count++) {
      const found = this.#said.indexOf(keys[count]!, next)
      if (found === -1) break
      next = found + 1
    }
    return count > 1 || (length === 1 && mayBeOne) ? count : 0
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
      if (part.kind === 'tool-call') {
        const turn = this.#calls.add(stepId, part)
        if (turn !== null) turns.push(turn)
      } else turns.push(...this.#resultTurns(stepId, part.id ?? callId, part.failed, part.parts))
    }
    speak()
    return turns
  }

  #resultTurns(stepId: string, id: string | null, failed: boolean, result: readonly MessagePart[]): Turn[] {
    if (this.#calls.answer(id, failed, result)) return []
    return [{ kind: 'tool', stepId, name: null, input: undefined, result, failed, error: null }]
  }
}

/** A message as a conversation shows it. */
interface Spoken {
  readonly role: string
  /** The call that the whole message answers; null if it does not say so. */
  readonly callId: string | null
  readonly parts: readonly MessagePart[]
  /** Equal for the same words in another form: senders repeat messages without thinking and with other fields. */
  readonly key: string
}

function spokenIn({ messages = [] }: ReadStep): Spoken[] {
  return messages.filter(({ role }) => !SILENT.has(role)).map(toSpoken)
}

/** Drops empty texts, and other fields beside what is said. */
function toSpoken({ role, ...said }: MessageBody): Spoken {
  const { tool_call_id: id, ...rest } = said as Readonly<Record<string, unknown>>
  const callId = isOfTool(role) && typeof id === 'string' ? id : null
  const all = partsOf(callId === null ? said : rest, parseStructured).filter(
    (part) => part.kind !== 'text' || part.text !== '',
  )
  const parts = orAll(all, ({ kind }) => kind !== 'others')
  const compared = orAll(parts, ({ kind }) => kind !== 'thinking').map((part) =>
    part.kind === 'text' ? part.text : part,
  )
  return { role, callId, parts, key: JSON.stringify([role, callId, compared]) }
}

/** Those that pass, or all if none does. */
function orAll<T>(all: readonly T[], passes: (one: T) => boolean): readonly T[] {
  const some = all.filter(passes)
  return some.length === 0 ? all : some
}

/** What a step of a tool was given, if anything tells it from what it returned. */
function exchangeIn({ status, messages = [] }: ReadStep): {
  input: unknown
  result: readonly MessagePart[] | null
} {
  const parts = messages.map((message) => partsOf(message, parseStructured))
  const [first] = parts[0] ?? []
  const isAnswered = status === 'error' || messages.some(({ role }) => !isModelRole(role))
  const isInput = isAnswered && messages[0] !== undefined && isModelRole(messages[0].role)
  const input = isInput ? inputOf(first) : undefined
  const result = parts.flat().slice(input === undefined ? 0 : 1)
  return { input, result: result.length === 0 ? null : result }
}

function inputOf(part: MessagePart | undefined): unknown {
  if (part?.kind === 'json') return part.value
  if (part?.kind === 'text') return part.text
  return part?.kind === 'tool-call' ? part.input : undefined
}

function toolStep(step: ReadStep, error: string | null): Turn {
  return { kind: 'tool', stepId: step.id, name: step.name, ...exchangeIn(step), failed: error !== null, error }
}

function isOfTool(role: string): boolean {
  return role === 'tool' || role === 'function'
}

function isOfTools({ role, parts }: Spoken): boolean {
  return isOfTool(role) || parts.some(({ kind }) => kind === 'tool-call' || kind === 'tool-result')
}

function hasQuestion({ messages = [] }: ReadStep): boolean {
  return messages.some(({ role }) => isUserRole(role))
}

/** Some senders record only a model's output; its input is on another step, which did not begin later. */
function stepWithQuestion(ordered: readonly ReadStep[], model: ReadStep | undefined): ReadStep | undefined {
  if (model === undefined) return undefined
  return ordered.find((step) => mayAnswer(step.type) && startOf(step) <= startOf(model) && hasQuestion(step))
}

/** The messages up to the last one of a user. */
function questionIn(step: ReadStep): Spoken[] {
  const spoken = spokenIn(step)
  return spoken.slice(0, spoken.findLastIndex(({ role }) => isUserRole(role)) + 1)
}

function failureOf({ error }: ReadStep): string {
  return failureText(error) ?? ''
}

/** Steps without a start come where they arrived. */
function startOf({ started_at: startedAt }: ReadStep): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

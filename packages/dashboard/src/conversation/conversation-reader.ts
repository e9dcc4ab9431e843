import { failureText, mayAnswer } from '@spoor/contract/said-text'
import type { Step } from '@spoor/contract/schemas/traces/step'
import { type MessagePart, partsOf } from '@spoor/payloads/message-parts'
import { isModelRole, isUserRole } from '@spoor/payloads/said'
import { parseStructured } from '@spoor/payloads/exact-json'
import { OpenCalls, type ToolResult } from './open-calls.ts'
import { Repetitions } from './repetitions.ts'
import { isOfTool, promptIn, type Spoken, spokenIn, withoutCallId } from './spoken.ts'
import type { ToolTurn, Turn } from './turn.ts'

type ReadStep = Omit<Step, 'ended_at' | 'idempotency_key' | 'metadata' | 'attachments'>

const SPOKEN_BY_MODELS: ReadonlySet<string> = new Set(['llm', 'chat', 'generation'])

/**
 * The turns of a conversation, trace by trace. Some agents send with each step only what is new, others repeat all
 * messages before it. A repetition is not shown again. A call and its result are one turn: reading more steps may
 * complete a turn that was returned before.
 */
export class ConversationReader {
  readonly #repetitions = new Repetitions()
  readonly #calls = new OpenCalls()
  /** The newest instructions, by what a step continues and by its name. */
  readonly #prompts = new Map<object | string, string>()
  #lastPrompt: string | null = null

  /** The turns of the next trace. */
  read(steps: readonly ReadStep[]): readonly Turn[] {
    this.#repetitions.beginTrace(steps)
    const ordered = steps.toSorted((a, b) => startOf(a) - startOf(b) || a.position - b.position)
    const models = ordered.filter((step) => SPOKEN_BY_MODELS.has(step.type) && (step.messages?.length ?? 0) > 0)
    // Without steps of models, what the others say is the conversation. What a tool is given and returns is one turn.
    const speakers = models.length > 0 ? models : ordered.filter(({ type }) => type !== 'tool')
    const speaking = new Map(speakers.map((step) => [step, spokenIn(step)]))
    const wrappers = this.#repetitions.wrappers(
      new Map([...speaking].map(([{ id }, spoken]) => [id, spoken.map(({ key }) => key)])),
    )
    const callsAreKnown = [...speaking.values()].some((spoken) => spoken.some(isCalling))
    const withQuestion = models.some(hasQuestion) ? undefined : stepWithQuestion(ordered, models[0])
    const turns: Turn[] = []
    if (withQuestion !== undefined) turns.push(...this.#turnsOf(withQuestion, questionIn(withQuestion)))
    for (const step of ordered) {
      const failure = step.status === 'error' ? (failureText(step.error) ?? '') : null
      const spoken = speaking.get(step)
      if (spoken !== undefined)
        turns.push(...withAnswer(this.#turnsOf(step, wrappers.has(step.id) ? [] : spoken), step))
      else if (step.type === 'tool' && !callsAreKnown) {
        const turn = toolStep(step, failure)
        this.#calls.addRan(turn, exchangeIn(step).callId)
        turns.splice(placeOfTool(turns, step), 0, turn)
        continue
      } else {
        const { result, callId } = exchangeIn(step)
        const answered = mayAnswer(step.type) ? null : result
        if (this.#calls.place({ id: step.id, callId, name: step.name, error: failure, result: answered })) continue
      }
      if (failure !== null) turns.push({ kind: 'error', ...sourceOf(step), step: step.name, text: failure })
    }
    this.#calls.placeRest()
    return turns.filter(({ kind, stepId }) => kind !== 'error' || !this.#calls.claimed.has(stepId))
  }

  #turnsOf(step: ReadStep, messages: readonly Spoken[]): Turn[] {
    if (messages.length === 0) return this.#promptTurns(step, null)
    const { isNew, thread } = this.#repetitions.next({
      stepId: step.id,
      keys: messages.map(({ key }) => key),
      unanswered: step.status === 'error' && !isModelRole(messages.at(-1)!.role),
      asksAgain: messages.slice(1).some(({ role }) => isUserRole(role)),
    })
    const said = messages.filter((_, index) => isNew[index])
    return [...this.#promptTurns(step, thread), ...said.flatMap((message) => this.#toTurns(step, message))]
  }

  /** The instructions of a step, unless they are those of what it continues, or of the steps with its name. */
  #promptTurns(step: ReadStep, thread: object | null): Turn[] {
    const text = promptIn(step)
    if (text === null) return []
    const places = thread === null ? [step.name] : [thread, step.name]
    const before = places.map((place) => this.#prompts.get(place)).find((prompt) => prompt !== undefined)
    const previous = before ?? this.#lastPrompt
    for (const place of places) this.#prompts.set(place, text)
    this.#lastPrompt = text
    return text === previous ? [] : [{ kind: 'prompt', ...sourceOf(step), text, previous }]
  }

  #toTurns(step: ReadStep, { role, callId, toolName, parts }: Spoken): Turn[] {
    if (isOfTool(role) && !parts.some(({ kind }) => kind === 'tool-result')) {
      return this.#resultTurns(step, { id: callId, name: toolName, failed: false, parts })
    }
    const turns: Turn[] = []
    let spoken: MessagePart[] = []
    const speak = () => {
      if (spoken.length > 0) turns.push({ kind: 'message', ...sourceOf(step), role, parts: spoken })
      spoken = []
    }
    for (const part of parts) {
      if (part.kind !== 'tool-call' && part.kind !== 'tool-result') {
        spoken.push(part)
        continue
      }
      speak()
      if (part.kind === 'tool-call') {
        const turn = this.#calls.add(sourceOf(step), part)
        if (turn !== null) turns.push(turn)
      } else turns.push(...this.#resultTurns(step, { ...part, id: part.id ?? callId, name: part.name ?? toolName }))
    }
    speak()
    return turns
  }

  #resultTurns(step: ReadStep, result: ToolResult): Turn[] {
    if (this.#calls.answer(result)) return []
    const { name, failed, parts } = result
    return [{ kind: 'tool', ...sourceOf(step), name, input: undefined, result: parts, failed, error: null }]
  }
}

/** Where a turn comes from. */
function sourceOf({ id, started_at: at, received_at: received }: ReadStep) {
  return { stepId: id, at: at ?? received }
}

/** Adds to the last of a model's turns what its step used. */
function withAnswer(
  turns: Turn[],
  { model, token_usage: usage, cost_usd: cost, cost_source: source }: ReadStep,
): Turn[] {
  const last = turns.at(-1)
  if (last === undefined || (model === null && usage === undefined && cost === null)) return turns
  const tokens = usage === undefined ? null : (usage.input ?? 0) + (usage.output ?? 0)
  // A call is completed by what is read later, so the turn remains the same object.
  Object.assign(last, { answer: { model, tokens, cost, isSenderCost: source === 'sender' } } satisfies Partial<Turn>)
  return turns
}

/** What a step of a tool was given, if anything tells it from what it returned, and the id of its call. */
function exchangeIn({ status, messages = [] }: ReadStep): {
  input: unknown
  result: readonly MessagePart[] | null
  callId: string | null
} {
  const named = messages.map(withoutCallId)
  const parts = named.map(({ message }) => partsOf(message, parseStructured))
  const [first] = parts[0] ?? []
  const isAnswered = status === 'error' || messages.some(({ role }) => !isModelRole(role))
  const isInput = isAnswered && messages[0] !== undefined && isModelRole(messages[0].role)
  const input = isInput ? inputOf(first) : undefined
  const result = parts.flat().slice(input === undefined ? 0 : 1)
  const callId = named.find((one) => one.callId !== null)?.callId ?? null
  return { input, result: result.length === 0 ? null : result, callId }
}

function inputOf(part: MessagePart | undefined): unknown {
  if (part?.kind === 'json') return part.value
  if (part?.kind === 'text') return part.text
  return part?.kind === 'tool-call' ? part.input : undefined
}

function toolStep(step: ReadStep, error: string | null): ToolTurn {
  const { input, result } = exchangeIn(step)
  return { kind: 'tool', ...sourceOf(step), name: step.name, input, result, failed: error !== null, error }
}

/** What ran inside of a step comes before the answer of that step. */
function placeOfTool(turns: readonly Turn[], { parent_step_id: around }: ReadStep): number {
  const last = turns.findLastIndex(({ stepId }) => stepId === around)
  const turn = turns[last]
  return turn?.kind === 'message' && isModelRole(turn.role) ? last : turns.length
}

function isCalling({ parts }: Spoken): boolean {
  return parts.some(({ kind }) => kind === 'tool-call')
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

/** Steps without a start come where they arrived. */
function startOf({ started_at: startedAt }: ReadStep): number {
  return startedAt === null ? 0 : Date.parse(startedAt)
}

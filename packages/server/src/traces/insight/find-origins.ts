import { hash } from 'node:crypto'
import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import { COMPARED_STEPS } from '@spoor/contract/limits'
import type { OriginKind } from '@spoor/contract/schemas/traces/value-origins'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { parseExactJson, parseStructured } from '@spoor/payloads/exact-json'
import { isFields } from '@spoor/payloads/json'
import { type MessagePart, partsOf } from '@spoor/payloads/message-parts'
import { DomainError } from '../../lib/domain-error.ts'
import { resultInTurns, type WorkTurns } from '../../lib/flow/work-turns.ts'
import { invalid } from '../../lib/validation/validation-failed.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceUseCases } from '../use-cases.ts'
import { holdsValue, SearchedText } from './held-value.ts'
import { leavesOf } from './leaves-of.ts'

interface Origin {
  readonly stepId: StepId
  readonly kind: OriginKind
}

interface OriginOfArgument {
  readonly tool: string
  /** A JSON pointer into the arguments. */
  readonly path: string
  readonly value: string | number
  /** Null if nothing before the step has it. */
  readonly origin: Origin | null
}

/** A value of a call, as a member of the statistics of its argument. */
export interface ArgumentValue {
  readonly tool: string
  /** A JSON pointer into the arguments. */
  readonly path: string
  /** Which of the steps that were added. */
  readonly at: number
  /** Whether anything before the call has it but what the model said. */
  readonly isFounded: boolean
}

export interface FoundOrigins {
  readonly arguments: readonly OriginOfArgument[]
  /** In the order of the run. */
  readonly ledHere: readonly StepId[]
  /** False if the texts before the step are too long: the first ones were searched. */
  readonly complete: boolean
}

/** Characters of texts of one run that are searched. */
const SEARCHED_CHARS = 8 * 1024 * 1024
/** Long texts are searched in pieces, a few milliseconds each; values at an end are in two. */
const PIECE_CHARS = 64 * 1024
const OVERLAP_CHARS = 200
/** What a text counts for at least, because each is held with its words. */
const LEAST_TEXT_CHARS = 128
/** No value is found in shorter texts. */
const LEAST_CHARS = 3
/** Arguments of a step that are searched, and steps that led to it. */
const MOST_ARGUMENTS = 100
const MOST_STEPS = 50
/** Values of a run that are searched. */
const MOST_VALUES = 200

/** Says what a part of a message is. */
const KIND_OF_PART = /^(?:\/parts\/\d+)*\/kind$/

/** As it is held: a few characters of Unicode become up to 18. */
function lengthOf(text: string): number {
  return /^[ -~\s]*$/.test(text) ? text.length : text.normalize('NFKC').length
}

interface HeldText extends Origin {
  readonly at: number
  readonly text: SearchedText
}

interface Call {
  readonly at: number
  readonly stepId: StepId
  readonly id: string | null
  readonly tool: string
  readonly input: unknown
  /** Its number in the run. */
  readonly order: number
  /** How many texts the run had before it. */
  readonly textsBefore: number
}

type ReadStep = Pick<StepRecord, 'id' | 'name' | 'type' | 'body'>

/** Takes the steps of a run in their order, up to the one in question. */
export class OriginReader {
  readonly #texts: HeldText[] = []
  readonly #calls: Call[] = []
  /** The last one with an id, and of a tool. */
  readonly #byId = new Map<unknown, Call>()
  readonly #byTool = new Map<unknown, Call>()
  readonly #steps: StepId[] = []
  /** What a step without calls of its own runs. */
  readonly #runs = new Map<number, Call>()
  /** Hashes: agents send the conversation again with each step. */
  readonly #seen = new Set<string>()
  #left = SEARCHED_CHARS

  add(step: ReadStep): void {
    const at = this.#steps.push(step.id) - 1
    const { messages = [], metadata, error } = parseExactJson(step.body) as StepBody
    const calledBefore = this.#calls.length
    const ids: unknown[] = []
    for (const [index, message] of (messages as readonly unknown[]).entries()) {
      if (!isFields(message)) continue
      ids.push(message['tool_call_id'])
      const seen = hash('sha1', JSON.stringify(message), 'base64')
      // The last one is new: a call may be repeated.
      if (this.#seen.has(seen) && index < messages.length - 1) continue
      this.#seen.add(seen)
      for (const part of partsOf(message, parseStructured)) this.#take(step, at, message['role'], part)
    }
    if (error?.message !== undefined) this.#hold(step.id, at, 'output', error.message)
    if (this.#calls.length > calledBefore || step.type === 'llm') return
    const { tool, tool_call_id: id, ...more } = isFields(metadata) ? metadata : {}
    const name = tool ?? more['gen_ai.tool.name'] ?? step.name
    const named = [id, ...ids].map((one) => this.#byId.get(one)).filter((call) => call !== undefined)
    const byId = named.reduce<Call | undefined>(
      (last, call) => (last && last.order > call.order ? last : call),
      undefined,
    )
    const called = byId ?? this.#byTool.get(name)
    if (called !== undefined) this.#runs.set(at, called)
  }

  /** Whether the texts are too long to search all. */
  get isFull(): boolean {
    return this.#left <= 0
  }

  /** Of the step that was added last. Yields often. */
  *origins(): Generator<void, FoundOrigins> {
    const last = this.#steps.length - 1
    const found: OriginOfArgument[] = []
    const wanted = new Set([last])
    for (let at = last; at >= 0; at -= 1) {
      if (!wanted.has(at) || wanted.size > MOST_STEPS) continue
      const run = this.#runs.get(at)
      if (run !== undefined) wanted.add(run.at)
      const calls = this.#calls.filter((call) => call.at === at || call === run)
      let searched = 0
      for (const call of calls) {
        for (const [path, value] of leavesOf(call.input)) {
          const holds = holdsValue(value)
          if (holds === null || searched === MOST_ARGUMENTS) continue
          searched += 1
          const origin = yield* this.#firstWith(holds, call.textsBefore)
          if (origin !== null) wanted.add(origin.at)
          if (at !== last) continue
          const from = origin === null ? null : { stepId: origin.stepId, kind: origin.kind }
          found.push({ tool: call.tool, path, value: value as string | number, origin: from })
        }
      }
    }
    wanted.delete(last)
    const ledHere = [...wanted].sort((one, other) => one - other).map((at) => this.#steps[at]!)
    return { arguments: found, ledHere, complete: !this.isFull }
  }

  /** The values of all calls, each once; null if the texts are too long. Yields often. */
  *values(): Generator<void, readonly ArgumentValue[] | null> {
    const values = new Map<string, ArgumentValue>()
    for (const { tool, input, at, textsBefore } of this.#calls) {
      for (const [path, value] of leavesOf(input)) {
        yield
        if (values.size === MOST_VALUES) break
        const holds = holdsValue(value)
        if (holds === null) continue
        const key = JSON.stringify([tool, path, value])
        if (values.has(key)) continue
        const origin = yield* this.#firstWith(holds, textsBefore)
        values.set(key, { tool, path, at, isFounded: origin !== null && origin.kind !== 'model' })
      }
    }
    return this.isFull ? null : [...values.values()]
  }

  /** What a model said counts only if nothing else has the value: it may have made it up. */
  *#firstWith(holds: (text: SearchedText) => boolean, before: number): Generator<void, HeldText | null> {
    let said: HeldText | null = null
    for (let at = 0; at < before; at += 1) {
      const one = this.#texts[at]!
      if ((said === null || one.kind !== 'model') && holds(one.text)) {
        if (one.kind !== 'model') return one
        said = one
      }
      yield
    }
    return said
  }

  #take(step: ReadStep, at: number, role: unknown, part: MessagePart): void {
    if (part.kind === 'tool-call') {
      const { id, name: tool, input } = part
      const order = this.#calls.length
      const call = { at, stepId: step.id, id, tool, input, order, textsBefore: this.#texts.length }
      this.#calls.push(call)
      if (id !== null) this.#byId.set(id, call)
      this.#byTool.set(tool, call)
      return
    }
    const isModel = step.type === 'llm' && (role === 'assistant' || role === 'model' || role === 'ai')
    const isOutput = part.kind === 'tool-result' || role === 'tool' || role === 'function' || step.type !== 'llm'
    const kind = isModel ? 'model' : isOutput && role !== 'user' && role !== 'system' ? 'output' : 'message'
    for (const [path, value] of leavesOf(part)) {
      if (this.#left <= 0) return
      if (!KIND_OF_PART.test(path)) this.#hold(step.id, at, kind, String(value))
    }
  }

  #hold(stepId: StepId, at: number, kind: OriginKind, text: string): void {
    if (text.length < LEAST_CHARS) return
    for (let from = 0; from < text.length && this.#left > 0; from += PIECE_CHARS) {
      const piece = text.slice(from, from + PIECE_CHARS + OVERLAP_CHARS)
      this.#left -= Math.max(LEAST_TEXT_CHARS, lengthOf(piece))
      this.#texts.push({ stepId, at, kind, text: new SearchedText(piece) })
    }
  }
}

export interface OriginsDependencies {
  readonly traces: Pick<TraceUseCases, 'read'>
  readonly work: WorkTurns
}

/** Throws DomainError `not_found` for an unknown step, `validation_failed` for a trace with too many, and as `read`. */
export async function findOrigins(
  { traces, work }: OriginsDependencies,
  query: { readonly projectId: ProjectId; readonly traceId: TraceId; readonly stepId: StepId },
): Promise<FoundOrigins> {
  const { projectId, traceId, stepId } = query
  const { trace, steps } = await traces.read(projectId, traceId)
  if (trace.stepCount > COMPARED_STEPS) {
    const detail = `The trace has ${trace.stepCount} steps; at most ${COMPARED_STEPS} can be searched.`
    throw invalid({ pointer: '/id', code: 'too_many', detail })
  }
  const reader = new OriginReader()
  for await (const page of steps) {
    const end = page.findIndex(({ id }) => id === stepId)
    const before = end === -1 ? page : page.slice(0, end + 1)
    let at = 0
    await work.steps(projectId, () => {
      const step = before[at++]
      if (step !== undefined) reader.add(step)
      return step !== undefined
    })
    if (end !== -1) return resultInTurns(reader.origins(), (step) => work.steps(projectId, step))
  }
  throw new DomainError('not_found', `There is no step ${stepId} in this trace.`)
}

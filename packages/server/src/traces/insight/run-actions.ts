import { hash } from 'node:crypto'
import type { StepId } from '@spoor/contract/ids'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import { parseExactJson, parseStructured } from '@spoor/payloads/exact-json'
import { isFields } from '@spoor/payloads/json'
import { partsOf } from '@spoor/payloads/message-parts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import { inOneForm } from '../compare/step-content.ts'

/** Something that a run did: a call of a tool, another step that is not a model's, or a failure. */
export interface Action {
  readonly tool: string
  /** Tool and arguments: actions with the same key did the same. */
  readonly key: string
  /** The same for readers, cut. */
  readonly label: string
  readonly stepId: StepId
  readonly failed: boolean
}

/** What a run did, each thing once, in the order in which it did it first: the first MOST_ACTIONS. */
export interface Run {
  readonly actions: readonly Action[]
  readonly keys: ReadonlySet<string>
  readonly tools: ReadonlySet<string>
  readonly lastStepId: StepId | null
}

type ReadStep = Pick<StepRecord, 'id' | 'name' | 'type' | 'status' | 'body'>

const LABEL_CHARS = 160
/** Runs are compared action by action, and kept. */
const MOST_ACTIONS = 2000
/** Longer arguments are compared by their hash. */
const KEY_CHARS = 2000
/** Before a hash. */
const HASHED = '#'

/** The arguments of a call as JSON; null for long ones and without any. */
export function argumentsOf({ tool, key }: Action): string | null {
  const rest = key.slice(tool.length + 1)
  return rest === '' || rest.startsWith(HASHED) ? null : rest
}

/** Takes the steps of a run in their order. */
export class RunReader {
  readonly #actions = new Map<string, Action & { readonly isCall: boolean }>()
  #lastStepId: StepId | null = null

  add(step: ReadStep): void {
    this.#lastStepId = step.id
    const { messages = [], metadata, error } = parseExactJson(step.body) as StepBody
    const calls = messages
      .flatMap((message) => (isFields(message) ? partsOf(message, parseStructured) : []))
      .filter((part) => part.kind === 'tool-call')
    for (const { name, input } of calls) this.#put(step, name, JSON.stringify(inOneForm(input)) ?? '', true)
    const named = isFields(metadata) ? (metadata['tool'] ?? metadata['gen_ai.tool.name']) : undefined
    const tool = typeof named === 'string' ? named : step.name
    // The step that runs a call often does not repeat its arguments: run() drops these.
    if (calls.length === 0 && step.type !== 'llm') this.#put(step, tool, '', false)
    if (step.status === 'error') this.#put(step, tool, `failed: ${error?.type ?? 'error'}`, false, true)
  }

  run(): Run {
    const all = [...this.#actions.values()]
    const called = new Set(all.filter(({ isCall }) => isCall).map(({ tool }) => tool))
    const actions = all.filter(({ isCall, failed, tool }) => isCall || failed || !called.has(tool))
    return {
      actions: actions.map(({ isCall: _, ...action }) => action),
      keys: new Set(actions.map(({ key }) => key)),
      tools: new Set(actions.map(({ tool }) => tool)),
      lastStepId: this.#lastStepId,
    }
  }

  #put({ id }: ReadStep, tool: string, rest: string, isCall: boolean, failed = false): void {
    const key = `${tool} ${rest.length > KEY_CHARS ? HASHED + hash('sha256', rest) : rest}`
    if (this.#actions.has(key) || this.#actions.size === MOST_ACTIONS) return
    const said = `${tool} ${rest}`
    const label = said.length > LABEL_CHARS ? `${flat(said.slice(0, LABEL_CHARS))}…` : said.trimEnd()
    this.#actions.set(key, { tool: failed ? key : tool, key, label, stepId: id, failed, isCall })
  }
}

/** A part of a text would keep the whole text in memory. */
const flat = (part: string) => Buffer.from(part).toString()

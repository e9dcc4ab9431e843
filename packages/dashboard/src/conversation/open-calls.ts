import type { MessagePart } from '@spoor/payloads/message-parts'
import type { ToolTurn } from './turn.ts'

type Writable = { -readonly [Key in keyof ToolTurn]: ToolTurn[Key] }
type ToolCall = Extract<MessagePart, { kind: 'tool-call' }>
export type ToolResult = Omit<Extract<MessagePart, { kind: 'tool-result' }>, 'kind'>

interface Call {
  readonly id: string | null
  /** The step whose message has it. */
  readonly asker: string
  readonly turn: Writable
  answered: boolean
  /** Whether the tool's own step is known. */
  placed: boolean
}

interface ToolStep {
  readonly id: string
  /** The call that it answers; null if its step does not say so. */
  readonly callId: string | null
  readonly name: string
  /** Null if it did not fail. */
  readonly error: string | null
  /** What it returned; null if its step does not say so. */
  readonly result: readonly MessagePart[] | null
}

/** A call follows its tool's step soon, so only the newest steps wait for one. */
const MOST_STEPS = 50

/** The calls of a conversation: each is completed by its result, and by the step in which the tool ran. */
export class OpenCalls {
  /** Steps that came before their call: the turn of the call has their error. */
  readonly claimed = new Set<string>()
  #calls: Call[] = []
  /** Steps that came before the message with their call. */
  #steps: ToolStep[] = []

  /**
   * The turn of a call; results that come later are added to it. Null: a history that begins late repeats a call that
   * waits for its result.
   */
  add({ stepId, at }: Pick<ToolTurn, 'stepId' | 'at'>, { id, name, input }: ToolCall): ToolTurn | null {
    const isSame = ({ turn, asker, answered }: Call) =>
      asker !== stepId && !answered && turn.name === name && JSON.stringify(turn.input) === JSON.stringify(input)
    if (id !== null && this.#calls.some((call) => call.id === id && isSame(call))) return null
    const step = ofCall(
      this.#steps.filter((one) => one.name === name),
      id,
      ({ callId }) => callId,
    )
    this.#steps = this.#steps.filter((one) => one !== step)
    const turn: Writable = {
      kind: 'tool',
      stepId: step?.id ?? stepId,
      at,
      name,
      input,
      result: step?.result ?? null,
      failed: step !== undefined && step.error !== null,
      error: step?.error ?? null,
    }
    if (step !== undefined) this.claimed.add(step.id)
    this.#calls.push({ id, asker: stepId, turn, answered: false, placed: step !== undefined })
    return turn
  }

  /** Adds a tool that ran, whose call is in no message: a result in a later message is its result. */
  addRan(turn: ToolTurn, id: string | null): void {
    this.#calls.push({ id, asker: turn.stepId, turn, answered: false, placed: true })
  }

  /**
   * Adds a result to its call: by id, else to the oldest one without. Calls of the tool that it names come first.
   * Returns whether there is a call.
   */
  answer({ id, name, failed, parts }: ToolResult): boolean {
    const waiting = this.#calls.filter(({ answered }) => !answered)
    const possible = waiting.filter((each) => each.id === null || id === null)
    const call =
      waiting.find((each) => id !== null && each.id === id) ??
      possible.find(({ turn }) => turn.name === name) ??
      possible[0]
    if (call === undefined) return false
    call.answered = true
    call.turn.result = parts
    call.turn.failed ||= failed
    this.#forgetDone()
    return true
  }

  /** Links a call to the step in which the tool ran. Returns whether there is one. */
  place(step: ToolStep): boolean {
    const open = this.#calls.filter(({ placed, turn }) => !placed && turn.name === step.name)
    const call = ofCall(open, step.callId, ({ id }) => id)
    if (call === undefined) {
      this.#steps = [...this.#steps.slice(1 - MOST_STEPS), step]
      return false
    }
    link(call, step)
    this.#forgetDone()
    return true
  }

  /** At the end of a trace: steps whose id is that of no call belong to the calls of their name that are left. */
  placeRest(): void {
    for (const step of this.#steps) {
      const call = this.#calls.find(({ placed, turn }) => !placed && turn.name === step.name)
      if (call === undefined) continue
      link(call, step)
      this.claimed.add(step.id)
    }
    this.#steps = []
    this.#forgetDone()
  }

  #forgetDone(): void {
    this.#calls = this.#calls.filter(({ answered, placed }) => !answered || !placed)
  }
}

function link(call: Call, step: ToolStep): void {
  call.placed = true
  call.turn.stepId = step.id
  call.turn.result ??= step.result
  if (step.error === null) return
  call.turn.failed = true
  call.turn.error = step.error
}

/** The one with this id of a call; else the first for which either id is not known. */
function ofCall<T>(all: readonly T[], id: string | null, idOf: (one: T) => string | null): T | undefined {
  return all.find((one) => id !== null && idOf(one) === id) ?? all.find((one) => id === null || idOf(one) === null)
}

import type { Step, StepPage } from '@spoor/contract/schemas/traces/step'
import { ConversationReader } from '../../conversation/conversation-reader.ts'
import type { Turn } from '../../conversation/turn.ts'
import { parseExactJson } from '@spoor/payloads/exact-json'
import { JsonScanner, type Span } from '../model/json-scanner.ts'
import { toStepBatch, type StepBatch } from '../model/step-batch.ts'
import { searchTextOf } from '../model/step-text.ts'
import { type Exchange, exchangeOf } from '../model/exchange.ts'
import { ByteLog } from './byte-log.ts'
import { readTraceHead, type TraceHead } from './trace-head.ts'

/** Characters of search text cached between searches; further steps are read again each time. */
const KEPT_SEARCH_TEXT = 32_000_000
/** Turns read beyond the one that is shown first. */
const TURNS_AFTER = 20

/**
 * The bytes of one trace's response. Steps are parsed only when they are needed, so that a trace of tens of megabytes
 * does not take several times its size. Lives in a worker.
 */
export class TraceArchive {
  readonly #bytes = new ByteLog()
  readonly #scanner = new JsonScanner('steps')
  readonly #spans: Span[] = []
  readonly #searchTexts: string[] = []
  #searchTextLength = 0
  readonly #starts: number[] = []
  /** Steps whose sender names no parent. */
  readonly #outermost: number[] = []
  #turns: { readonly ofSteps: number; readonly turns: readonly Turn[] } | null = null
  #headReturned = false
  /** The end of the first response; later pages of steps follow. */
  #answerEnd = 0

  get stepCount(): number {
    return this.#spans.length
  }

  /**
   * Adds bytes of the response. Returns the trace without its steps as soon as these start, and the steps that are
   * complete.
   */
  push(bytes: Uint8Array): { readonly head: TraceHead | null; readonly batch: StepBatch | null } {
    const spans = this.#scanner.push(bytes)
    this.#bytes.append(bytes)
    let head: TraceHead | null = null
    const { start } = this.#scanner.array
    if (!this.#headReturned && start > 0) {
      this.#headReturned = true
      head = readTraceHead(`${this.#bytes.text(0, start)}[]}`)
    }
    return { head, batch: this.#take(spans) }
  }

  /** Ends the response and returns the trace without its steps. Throws if it was truncated. */
  end(): TraceHead {
    if (!this.#scanner.done) throw new Error('the response was truncated')
    this.#answerEnd = this.#bytes.length
    return readTraceHead(`${this.#beforeSteps()}[]${this.#afterSteps()}`)
  }

  /** Adds a later page of steps. Returns the new ones. */
  pushPage(bytes: Uint8Array): { readonly batch: StepBatch | null; readonly nextCursor: string | null } {
    const { steps, next_cursor: nextCursor } = JSON.parse(new TextDecoder().decode(bytes)) as StepPage
    const spans = new JsonScanner('steps').push(bytes)
    const added: Span[] = []
    for (const [index, { position }] of steps.entries()) {
      if (position !== this.stepCount + added.length) continue
      const { start, end } = spans[index] as Span
      added.push({ start: this.#bytes.length, end: this.#bytes.length + end - start })
      this.#bytes.append(bytes.subarray(start, end))
      this.#bytes.append(COMMA)
    }
    return { batch: this.#take(added), nextCursor }
  }

  /** One step as the service wrote it. */
  stepText(step: number): string {
    const { start, end } = this.#spans[step] as Span
    return this.#bytes.text(start, end)
  }

  /** The exact JSON text of the trace. */
  text(): string {
    const steps = Array.from(this.#spans, (_, step) => this.stepText(step))
    return `${this.#beforeSteps()}[${steps.join(',')}]${this.#afterSteps()}`
  }

  /** The first request and the last answer. */
  exchange(): Exchange {
    const order = Array.from(this.#starts, (_, step) => step).sort(
      (a, b) => (this.#starts[a] as number) - (this.#starts[b] as number) || a - b,
    )
    return exchangeOf(order, (step) => this.#step(step), this.#outermost.length === 1 ? this.#outermost : [])
  }

  /** All steps as a conversation. Kept until steps are added. */
  turns(): readonly Turn[] {
    if (this.#turns?.ofSteps !== this.stepCount) {
      const steps = Array.from(this.#spans, (_, step) => this.#step(step))
      this.#turns = { ofSteps: this.stepCount, turns: new ConversationReader().read(steps) }
    }
    return this.#turns.turns
  }

  /**
   * The first turns of the conversation: `least`, and those up to the turn of a step; `count` is of all. As text,
   * because numbers beyond JavaScript's precision cannot be transferred otherwise.
   */
  turnsText(least: number, stepId: string | null): string {
    const turns = this.turns()
    const at = stepId === null ? -1 : turns.findIndex((turn) => turn.stepId === stepId)
    return JSON.stringify({ count: turns.length, turns: turns.slice(0, Math.max(least, at + TURNS_AFTER)) })
  }

  /** The steps from `from` up to `to` that contain the text, in any letter case. */
  search(text: string, from: number, to: number): number[] {
    const wanted = text.toLowerCase()
    const found: number[] = []
    for (let step = from; step < Math.min(to, this.stepCount); step += 1) {
      if (this.#searchText(step).includes(wanted)) found.push(step)
    }
    return found
  }

  #searchText(step: number): string {
    const kept = this.#searchTexts[step]
    if (kept !== undefined) return kept
    const text = searchTextOf(this.#step(step))
    if (this.#searchTextLength + text.length <= KEPT_SEARCH_TEXT) {
      this.#searchTextLength += text.length
      this.#searchTexts[step] = text
    }
    return text
  }

  #step(step: number): Step {
    return parseExactJson(this.stepText(step)) as Step
  }

  #take(spans: readonly Span[]): StepBatch | null {
    const first = spans[0]
    const last = spans.at(-1)
    if (first === undefined || last === undefined) return null
    const from = this.#spans.length
    for (const span of spans) this.#spans.push(span)
    // Adjacent elements have commas between them, so one parse is enough.
    const batch = toStepBatch(JSON.parse(`[${this.#bytes.text(first.start, last.end)}]`) as Step[])
    // Steps without a start come first, as in the conversation.
    for (const start of batch.starts) this.#starts.push(Number.isNaN(start) ? 0 : start)
    for (const [at, parent] of batch.parentIds.entries()) {
      if (parent === null || batch.inferred[at] === true) this.#outermost.push(from + at)
    }
    return batch
  }

  #beforeSteps(): string {
    return this.#bytes.text(0, this.#scanner.array.start)
  }

  #afterSteps(): string {
    return this.#bytes.text(this.#scanner.array.end, this.#answerEnd)
  }
}

const COMMA = new Uint8Array([0x2c])

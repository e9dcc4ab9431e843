import type { Delivery } from './delivery.ts'
import { runIn } from './follow-result.ts'
import type { Mask } from './json-text.ts'
import type { FlushVerdicts, StepOptions, TraceOptions } from './recorder-options.ts'
import { contextValue, onProcessEnd } from './runtime.ts'
import type { Span, Step } from './span.ts'
import { wrapFetch } from './model-calls/wrap-fetch.ts'
import { OpenSpans } from './open-spans.ts'
import { isSampled, parseTraceparent, randomHex } from './trace-ids.ts'
import { Trace } from './trace.ts'
import { type Recording, TraceScope } from './trace-scope.ts'

export interface RecorderSettings {
  readonly sampleRate: number
  readonly keepOnError: boolean
  readonly mask: Mask | undefined
  readonly shutdownTimeoutMs: number
}

/**
 * Records traces and sends them in the background. Never throws into the code that uses it and never waits in it. At
 * the end of the process it sends what is left, for at most `shutdownTimeoutMs`; then the spool takes it.
 */
export class Recorder {
  readonly #open = new OpenSpans()
  readonly #settings: RecorderSettings
  /** Null: nothing is recorded. */
  readonly #delivery: Delivery | null
  readonly #unregister: () => void
  /** Until when the end of the process may be delayed: half of the time, as a request under way may take the other. */
  #deadline: number | null = null

  constructor(settings: RecorderSettings, delivery: Delivery | null) {
    this.#settings = settings
    this.#delivery = delivery
    this.#unregister =
      delivery === null
        ? () => undefined
        : onProcessEnd({ beforeExit: () => void this.#beforeExit(), exit: this.#atExit.bind(this) })
  }

  /** Runs `fn` in a new trace. The trace ends when the result does: a promise, a generator or a stream to its end. */
  trace<T>(name: string, fn: (trace: Trace) => T): T
  trace<T>(name: string, options: TraceOptions, fn: (trace: Trace) => T): T
  trace<T>(name: string, ...rest: [(trace: Trace) => T] | [TraceOptions, (trace: Trace) => T]): T {
    const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest
    const trace = this.startTrace(name, options)
    return runIn(trace, () => fn(trace))
  }

  /** A trace that ends when its `end` is called. Its steps need it as their explicit parent, or `trace.run`. */
  startTrace(name: string, options: TraceOptions = {}): Trace {
    const caller = parseTraceparent(options.traceparent)
    const traceId = caller?.traceId ?? randomHex(16)
    const recording = this.#recording(traceId)
    const scope = new TraceScope(traceId, recording, this.#delivery, this.#settings.mask, this.#open)
    return new Trace(scope, name, caller?.spanId ?? null, options)
  }

  /** Runs `fn` in a step below the current trace or step. Without one, the step gets a trace of the same name. */
  step<T>(name: string, fn: (step: Step) => T): T
  step<T>(name: string, options: StepOptions, fn: (step: Step) => T): T
  step<T>(name: string, ...rest: [(step: Step) => T] | [StepOptions, (step: Step) => T]): T {
    const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest
    const parent = this.current()
    return parent === null ? this.trace(name, (trace) => trace.step(name, options, fn)) : parent.step(name, options, fn)
  }

  /** The function, with a step for each of its calls. */
  observe<This, Sent extends readonly unknown[], Result>(
    fn: (this: This, ...sent: Sent) => Result,
    options: StepOptions & { readonly name?: string } = {},
  ): (this: This, ...sent: Sent) => Result {
    const name = options.name ?? (fn.name || 'anonymous')
    const step = (run: () => Result): Result => this.step(name, options, run)
    return function observed(this: This, ...sent: Sent): Result {
      return step(() => fn.apply(this, sent as unknown as Sent & unknown[]))
    }
  }

  /**
   * A `fetch` for clients of models: calls of the APIs of OpenAI and Anthropic (chat completions, responses, messages,
   * embeddings) become steps. Requests and answers are not changed; a stream is read as its reader reads it.
   */
  wrapFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
    return wrapFetch(fetch, (name, options) => {
      const parent = this.current()
      if (parent !== null) return parent.startStep(name, options)
      const trace = this.startTrace(name)
      const step = trace.startStep(name, options)
      step.onEnd = () => trace.end()
      return step
    })
  }

  /** The trace or step that the running code is within; null where there is none, or no way to know it. */
  current(): Span | null {
    return contextValue() as Span | null
  }

  get isRecording(): boolean {
    return this.#delivery !== null
  }

  /**
   * Sends all that has ended and resolves with what became of it. Check `ok`: when true, everything is durable and
   * readable. Waits for at most `timeoutMs`, 10,000 by default, and never rejects.
   */
  async flush({
    timeoutMs = this.#settings.shutdownTimeoutMs,
  }: { readonly timeoutMs?: number } = {}): Promise<FlushVerdicts> {
    if (this.#delivery !== null) return this.#delivery.flush(timeoutMs)
    return { ok: false, stored: 0, refused: 0, dropped: 0, spooled: 0, pending: 0, reasons: ['nothing is recorded'] }
  }

  /** A last flush; then remaining records go to the spool. Later records are sent as long as the process lives. */
  async shutdown(options: { readonly timeoutMs?: number } = {}): Promise<FlushVerdicts> {
    const verdicts = await this.flush(options)
    this.#delivery?.putAside()
    this.#unregister()
    return verdicts
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown()
  }

  #recording(traceId: string): Recording {
    if (this.#delivery === null) return 'drop'
    if (isSampled(traceId, this.#settings.sampleRate)) return 'send'
    return this.#settings.keepOnError ? 'hold' : 'drop'
  }

  /** Open spans end now: inner ones first, as failed if the process does not end well. */
  #atExit(code: number, error: unknown, endsAt: number): void {
    const cause = error ?? (code === 0 ? null : new Error(`the process ended with code ${code} before this did`))
    for (const span of this.#open.latestFirst) {
      if (cause === null || span.hasFailed) span.end()
      else span.fail(cause)
    }
    this.#delivery?.leave(Math.min(endsAt, Date.now() + this.#settings.shutdownTimeoutMs / 2))
  }

  async #beforeExit(): Promise<void> {
    this.#deadline ??= Date.now() + this.#settings.shutdownTimeoutMs / 2
    const leftMs = this.#deadline - Date.now()
    if (this.#delivery === null || !this.#delivery.hasWork || leftMs <= 0) return
    await this.#delivery.drain(leftMs)
    if (this.#delivery.hasUnsent) this.#delivery.putAside()
  }
}

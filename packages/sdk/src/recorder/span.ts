import { fileObject } from './file-object.ts'
import { runIn } from './follow-result.ts'
import { jsonText } from './json-text.ts'
import type { AttachedFile, StepOptions, TokenUsage } from './recorder-options.ts'
import { inContext } from './runtime.ts'
import { cut, SPANS_PATH, spanText } from './span-text.ts'
import { randomHex } from './trace-ids.ts'
import type { TraceScope } from './trace-scope.ts'

/**
 * A record from its start to its end. It is sent when it ends; later values are lost. No method throws, whatever its
 * arguments: only errors of `fn` reach the caller.
 */
export abstract class Span {
  readonly traceId: string
  readonly spanId: string = randomHex(8)
  protected readonly scope: TraceScope
  readonly #parentSpanId: string | null
  readonly #name: string
  readonly #startMs: number
  readonly #attributes = new Map<string, string>()
  readonly #metadata: Record<string, unknown> = {}
  #isError = false
  #hasEnded = false

  constructor(scope: TraceScope, name: string, parentSpanId: string | null) {
    this.traceId = scope.traceId
    this.scope = scope
    this.#name = name
    this.#parentSpanId = parentSpanId
    this.#startMs = scope.now()
    if (scope.isRecorded) scope.open.add(this)
  }

  /** The header that makes a called service continue this trace. */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.scope.isRecorded ? '01' : '00'}`
  }

  /** Runs `fn` in a step below this one. The step ends when the result does: see `followResult`. */
  step<T>(name: string, fn: (step: Step) => T): T
  step<T>(name: string, options: StepOptions, fn: (step: Step) => T): T
  step<T>(name: string, ...rest: [(step: Step) => T] | [StepOptions, (step: Step) => T]): T {
    const [options, fn] = rest.length === 1 ? [{}, rest[0]] : rest
    const step = this.startStep(name, options)
    return runIn(step, () => fn(step))
  }

  /** A step that ends when its `end` is called. */
  startStep(name: string, options: StepOptions = {}): Step {
    return new Step(this.scope, name, this.spanId, options)
  }

  /** Runs `fn` with this as the parent of what it records, without ending this. */
  run<T>(fn: () => T): T {
    return inContext(this, fn)
  }

  metadata(values: Readonly<Record<string, unknown>>): this {
    return this.guarded(() => Object.assign(this.#metadata, values))
  }

  /** Marks it as failed. */
  error(error: unknown): this {
    return this.guarded(() => {
      this.#isError = true
      this.scope.hasFailed = true
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
      this.set('step.error', this.json({ type: name, message }, 'error'))
    })
  }

  /** Sends it. Nothing happens the second time. */
  end(): void {
    this.guarded(() => {
      if (this.#hasEnded) return
      this.scope.open.remove(this)
      const metadata = this.json(this.#metadata, 'metadata')
      if (metadata !== '{}') this.set(`${this.of}.metadata`, metadata)
      this.#hasEnded = true
      const body = spanText({
        traceId: this.traceId,
        spanId: this.spanId,
        parentSpanId: this.#parentSpanId,
        name: this.#name,
        startMs: this.#startMs,
        endMs: this.scope.now(),
        isError: this.#isError,
        attributes: this.#attributes,
      })
      this.scope.take({ kind: 'span', path: SPANS_PATH, body, count: 1 })
      this.onEnd()
    })
  }

  get hasFailed(): boolean {
    return this.#isError
  }

  /** Ends it with an error. */
  fail(error: unknown): void {
    this.error(error).end()
  }

  [Symbol.dispose](): void {
    this.end()
  }

  /** The first part of the names of its attributes. */
  protected abstract readonly of: 'step' | 'trace'

  /** Called once, after it was queued. */
  onEnd(): void {
    return
  }

  protected set(name: string, value: string): void {
    if (!this.#hasEnded) this.#attributes.set(`spoor.${name}`, value)
  }

  /** Sets a short text, if there is one. */
  protected label(name: string, value: string | undefined): this {
    return this.guarded(() => {
      if (value !== undefined) this.set(name, cut(value))
    })
  }

  protected json(value: unknown, path: string): string {
    return jsonText(value, path, this.scope.mask)
  }

  /** An error of the recorder itself becomes a warning. */
  protected guarded(run: () => unknown): this {
    if (!this.scope.isRecorded) return this
    try {
      run()
    } catch (error) {
      this.scope.warn(`could not record: ${String(error)}`)
    }
    return this
  }
}

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

export class Step extends Span {
  protected readonly of = 'step'
  readonly #uris: { readonly uri: string }[] = []
  readonly #files: object[] = []

  constructor(scope: TraceScope, name: string, parentSpanId: string, options: StepOptions) {
    super(scope, name, parentSpanId)
    this.guarded(() => {
      const { type, model, metadata } = options
      this.label('step.type', type).label('step.model', model)
      if (metadata !== undefined) this.metadata(metadata)
    })
  }

  model(name: string): this {
    return this.label('step.model', name)
  }

  /** Input and output messages in their order, as they are now. A text is the content of one text part. */
  messages(messages: readonly object[]): this {
    return this.guarded(() => this.set('step.messages', this.json(messages.map(withParts), 'messages')))
  }

  /** Counts that are no whole numbers are left out: they would make the service refuse the step. */
  usage(usage: TokenUsage): this {
    return this.guarded(() => {
      const counts = COUNTS.filter((name) => Number.isSafeInteger(usage[name])).map((name) => [name, usage[name]])
      this.set('step.usage', JSON.stringify(Object.fromEntries(counts)))
    })
  }

  /** Adds a file. */
  attach(file: AttachedFile): this {
    return this.guarded(() => {
      if ('uri' in file) {
        this.#uris.push({ uri: file.uri })
        this.set('step.attachments', this.json(this.#uris, 'attachments'))
      } else {
        this.#files.push(fileObject(file))
        this.metadata({ attachments: this.#files })
      }
    })
  }
}

function withParts(message: object): object {
  return 'content' in message && typeof message.content === 'string'
    ? { ...message, content: [{ type: 'text', text: message.content }] }
    : message
}

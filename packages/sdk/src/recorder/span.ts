import { attachment } from './attachment.ts'
import { runIn } from './follow-result.ts'
import { jsonText } from './json-text.ts'
import type { AttachedFile, StepOptions, TokenUsage } from './recorder-options.ts'
import { inContext } from './runtime.ts'
import { cut, spanText } from './span-text.ts'
import { randomHex } from './trace-ids.ts'
import type { TraceScope } from './trace-scope.ts'

/**
 * What is recorded from its start to its end. It is sent when it ends; what is set later is lost. No method throws,
 * whatever it is given: only what `fn` throws goes on to the caller.
 */
export abstract class Span {
  readonly traceId: string
  readonly spanId: string = randomHex(8)
  readonly #scope: TraceScope
  readonly #parentSpanId: string | null
  readonly #name: string
  readonly #startMs: number
  readonly #attributes = new Map<string, string>()
  #metadata: Record<string, unknown> = {}
  #isError = false
  #hasEnded = false

  constructor(scope: TraceScope, name: string, parentSpanId: string | null) {
    this.traceId = scope.traceId
    this.#scope = scope
    this.#name = name
    this.#parentSpanId = parentSpanId
    this.#startMs = scope.now()
  }

  /** The header that makes a called service continue this trace. */
  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-${this.#scope.isRecorded ? '01' : '00'}`
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
    return new Step(this.#scope, name, this.spanId, options)
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
      this.#scope.hasFailed = true
      const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
      this.set('spoor.step.error', this.json({ type: name, message }, 'error'))
    })
  }

  /** Sends it. Nothing happens the second time. */
  end(): void {
    this.guarded(() => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      if (this.#scope.isRecorded) this.#scope.take(this.#text())
      this.ended()
    })
  }

  /** Ends it with an error. */
  fail(error: unknown): void {
    this.error(error).end()
  }

  [Symbol.dispose](): void {
    this.end()
  }

  protected abstract readonly metadataAttribute: string

  /** Called once, after it was queued. */
  onEnd: (() => void) | null = null

  protected ended(): void {
    this.onEnd?.()
  }

  protected set(name: string, value: string): void {
    if (!this.#hasEnded) this.#attributes.set(name, value)
  }

  protected json(value: unknown, path: string): string {
    return jsonText(value, path, this.#scope.mask)
  }

  /** An error of the recorder itself becomes a warning. */
  protected guarded(run: () => unknown): this {
    if (!this.#scope.isRecorded) return this
    try {
      run()
    } catch (error) {
      this.#scope.warn(`could not record: ${String(error)}`)
    }
    return this
  }

  #text(): string {
    if (Object.keys(this.#metadata).length > 0) {
      this.#attributes.set(this.metadataAttribute, this.json(this.#metadata, 'metadata'))
    }
    return spanText({
      traceId: this.traceId,
      spanId: this.spanId,
      parentSpanId: this.#parentSpanId,
      name: this.#name,
      startMs: this.#startMs,
      endMs: this.#scope.now(),
      isError: this.#isError,
      attributes: [...this.#attributes],
    })
  }
}

const COUNTS = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

export class Step extends Span {
  protected readonly metadataAttribute = 'spoor.step.metadata'
  readonly #uris: { readonly uri: string }[] = []
  readonly #files: object[] = []

  constructor(scope: TraceScope, name: string, parentSpanId: string, options: StepOptions) {
    super(scope, name, parentSpanId)
    this.guarded(() => {
      if (options.type !== undefined) this.set('spoor.step.type', cut(options.type))
      if (options.model !== undefined) this.model(options.model)
      if (options.metadata !== undefined) this.metadata(options.metadata)
    })
  }

  model(name: string): this {
    return this.guarded(() => this.set('spoor.step.model', cut(name)))
  }

  /** Input and output messages in their order, as they are now. A text is the content of one text part. */
  messages(messages: readonly object[]): this {
    return this.guarded(() => this.set('spoor.step.messages', this.json(messages.map(withParts), 'messages')))
  }

  /** Counts that are no whole numbers are left out: they would make the service refuse the step. */
  usage(usage: TokenUsage): this {
    return this.guarded(() => {
      const counts = COUNTS.flatMap((name) => (Number.isSafeInteger(usage[name]) ? [[name, usage[name]]] : []))
      this.set('spoor.step.usage', JSON.stringify(Object.fromEntries(counts)))
    })
  }

  /** Adds a file. A `Blob` must be awaited, as it is read before the step ends. */
  attach(file: AttachedFile): Promise<void> | void {
    let reading: Promise<void> | undefined
    this.guarded(() => {
      if (file instanceof Blob) {
        const name = file instanceof File ? { filename: file.name } : {}
        reading = file.arrayBuffer().then(
          (bytes) => this.attach({ bytes, contentType: file.type, ...name }),
          (error: unknown) => void this.metadata({ attachment_error: String(error) }),
        )
      } else if ('uri' in file) {
        this.#uris.push({ uri: file.uri })
        this.set('spoor.step.attachments', this.json(this.#uris, 'attachments'))
      } else {
        this.#files.push(attachment(file))
        this.metadata({ attachments: this.#files })
      }
    })
    return reading
  }
}

function withParts(message: object): object {
  return 'content' in message && typeof message.content === 'string'
    ? { ...message, content: [{ type: 'text', text: message.content }] }
    : message
}

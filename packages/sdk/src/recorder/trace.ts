import { jsonText } from './json-text.ts'
import type { MetricOptions, TraceOptions } from './recorder-options.ts'
import { cut } from './span-text.ts'
import { Span } from './span.ts'
import { randomHex } from './trace-ids.ts'
import type { TraceScope } from './trace-scope.ts'

/** A run. Of a trace that another process began, it is a step that may also say something about the whole. */
export class Trace extends Span {
  protected readonly metadataAttribute = 'spoor.trace.metadata'
  readonly #scope: TraceScope

  constructor(scope: TraceScope, name: string, parentSpanId: string | null, options: TraceOptions) {
    super(scope, name, parentSpanId)
    this.#scope = scope
    this.guarded(() => {
      if (parentSpanId === null) {
        this.set('spoor.span.kind', 'trace')
        this.set('spoor.trace.name', cut(name) || 'unnamed')
      } else this.set('spoor.step.type', 'agent')
      if (options.runType !== undefined) this.set('spoor.trace.run_type', cut(options.runType))
      if (options.metadata !== undefined) this.metadata(options.metadata)
    })
    if (options.sessionId !== undefined) this.session(options.sessionId)
    if (options.userId !== undefined) this.user(options.userId)
  }

  session(id: string): this {
    return this.guarded(() => this.set('spoor.trace.session_id', cut(id)))
  }

  user(id: string): this {
    return this.guarded(() => this.set('spoor.trace.user_id', cut(id)))
  }

  /** Records an event of a defined metric, after the trace has ended. */
  metric(name: string, value: boolean | number | string, options: MetricOptions = {}): this {
    return this.guarded(() => {
      const { source, comment, metadata } = options
      const event = jsonText(
        {
          name,
          trace_id: this.traceId,
          ...(typeof value === 'boolean' ? { passed: value } : { value }),
          source,
          comment,
          metadata,
          idempotency_key: randomHex(16),
          at: new Date().toISOString(),
        },
        'metric',
        this.#scope.mask,
      )
      this.#scope.afterEnd((delivery) => delivery.addCall({ kind: 'metric', path: '/v1/metrics/events', body: event }))
    })
  }

  /** Flags the trace for people to look at, after it has ended. */
  flag(reason: string): this {
    return this.guarded(() => {
      const body = jsonText({ flagged: true, reason: cut(reason) }, 'flag', this.#scope.mask)
      this.#scope.afterEnd((delivery) => delivery.addCall({ kind: 'flag', path: `/v1/traces/${this.traceId}`, body }))
    })
  }

  protected override ended(): void {
    this.#scope.end()
  }
}

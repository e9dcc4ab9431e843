import type { Item } from './queue.ts'
import type { MetricOptions, TraceOptions } from './recorder-options.ts'
import { cut } from './span-text.ts'
import { Span } from './span.ts'
import { randomHex } from './trace-ids.ts'
import type { TraceScope } from './trace-scope.ts'

/** A run. Of a trace that another process began, it is a step that may also say something about the whole. */
export class Trace extends Span {
  protected readonly of = 'trace'

  constructor(scope: TraceScope, name: string, parentSpanId: string | null, options: TraceOptions) {
    super(scope, name, parentSpanId)
    this.guarded(() => {
      if (parentSpanId === null) {
        this.set('span.kind', 'trace')
        this.set('trace.name', cut(name) || 'unnamed')
      } else this.set('step.type', 'agent')
      const { runType, sessionId, userId, metadata } = options
      this.label('trace.run_type', runType).label('trace.session_id', sessionId).label('trace.user_id', userId)
      if (metadata !== undefined) this.metadata(metadata)
    })
  }

  session(id: string): this {
    return this.label('trace.session_id', id)
  }

  user(id: string): this {
    return this.label('trace.user_id', id)
  }

  /** Records an event of a defined metric, after the trace has ended. */
  metric(name: string, value: boolean | number | string, options: MetricOptions = {}): this {
    const at = new Date().toISOString()
    return this.#afterEnd('metric', '/v1/metrics/events', () => ({
      name,
      trace_id: this.traceId,
      [typeof value === 'boolean' ? 'passed' : 'value']: value,
      source: options.source,
      comment: options.comment,
      metadata: options.metadata,
      idempotency_key: randomHex(16),
      at,
    }))
  }

  /** Flags the trace for people to look at, after it has ended. */
  flag(reason: string): this {
    return this.#afterEnd('flag', `/v1/traces/${this.traceId}`, () => ({ flagged: true, reason: cut(reason) }))
  }

  override onEnd(): void {
    this.scope.end()
  }

  #afterEnd(kind: Item['kind'], path: string, body: () => object): this {
    return this.guarded(() => this.scope.afterEnd({ kind, path, body: this.json(body(), kind), count: 1 }))
  }
}

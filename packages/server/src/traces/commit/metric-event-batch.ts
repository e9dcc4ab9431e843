import type { MetricEventId, TraceId } from '@spoor/contract/ids'
import type { MetricEventKey } from '../../ports/journal/journal.ts'
import type { MetricEventVerdict, MetricScore } from '../../ports/journal/metric-event.ts'
import type { Known } from '../../ports/log/log.ts'
import { termsWithInherited } from '../intake/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { NewMetricEvent } from '../../ports/traces/trace-store.ts'

/** A metric event to record. */
export interface NewScore extends MetricScore {
  /**
   * SHA-256 (lower-case hex) of what the client sent. It distinguishes a retry from another event with the same
   * idempotency key.
   */
  readonly contentHash: string
}

/** What metric events need of the commit context. */
export interface MetricEventContext {
  readonly version: number
  readonly now: number
  newMetricEventId(): MetricEventId
  readonly known: Known
}

/** The metric events of one group commit in preparation. */
export class MetricEventBatch {
  readonly events: NewMetricEvent[] = []
  readonly #context: MetricEventContext
  readonly #keys = new Map<string, MetricEventKey>()
  /** By the metadata buffer of a trace: a batch may hold hundreds of events of one trace. */
  readonly #termsUnder = new Map<Buffer, (own: Buffer) => readonly string[]>()

  constructor(context: MetricEventContext) {
    this.#context = context
  }

  get keys(): readonly MetricEventKey[] {
    return [...this.#keys.values()]
  }

  /**
   * Returns verdicts in order. `traceOf` returns the latest version of each trace, which may be deleted. Adds all
   * events or throws and adds none.
   */
  add(scores: readonly NewScore[], traceOf: (id: TraceId) => TraceRecord): readonly MetricEventVerdict[] {
    const keys = new Map<string, MetricEventKey>()
    const events: NewMetricEvent[] = []
    const verdicts = scores.map((score): MetricEventVerdict => {
      const trace = traceOf(score.traceId)
      if (trace.deleted) return unknownTrace(score.traceId)
      const known = this.#recognise(score, keys)
      if (known !== null) return known
      const event = this.#place(trace, score)
      const { idempotencyKey: key, contentHash, traceId } = score
      if (key !== null) keys.set(`${traceId}${key}`, { traceId, key, eventId: event.record.id, contentHash })
      events.push(event)
      return { status: 'created', event: event.record }
    })
    for (const [place, key] of keys) this.#keys.set(place, key)
    // No spread: there may be more events than a call accepts arguments.
    for (const event of events) this.events.push(event)
    return verdicts
  }

  #place(trace: TraceRecord, { contentHash: _, ...score }: NewScore): NewMetricEvent {
    const { version, now } = this.#context
    return {
      record: {
        ...score,
        projectId: trace.projectId,
        id: this.#context.newMetricEventId(),
        version,
        createdAt: now,
      },
      runType: trace.runType,
      models: trace.models,
      terms: this.#termsOf(score.metadata, trace.metadata),
    }
  }

  #termsOf(own: Buffer, inherited: Buffer): readonly string[] {
    let terms = this.#termsUnder.get(inherited)
    if (terms === undefined) this.#termsUnder.set(inherited, (terms = termsWithInherited(inherited)))
    return terms(own)
  }

  /** The event recorded earlier with the same idempotency key; null for a new one. */
  #recognise(
    { traceId, idempotencyKey, contentHash }: NewScore,
    fresh: ReadonlyMap<string, MetricEventKey>,
  ): MetricEventVerdict | null {
    if (idempotencyKey === null) return null
    const place = `${traceId}${idempotencyKey}`
    const known =
      fresh.get(place) ?? this.#keys.get(place) ?? this.#context.known.metricEventKey(traceId, idempotencyKey)
    if (known === undefined) return null
    if (known.contentHash === contentHash) return { status: 'duplicate', eventId: known.eventId }
    const detail = `The idempotency key was used for metric event ${known.eventId} with other content.`
    return { status: 'error', code: 'idempotency_conflict', detail }
  }
}

export function unknownTrace(traceId: TraceId): MetricEventVerdict {
  return { status: 'error', code: 'unknown_trace', detail: `There is no trace ${traceId} in this project.` }
}

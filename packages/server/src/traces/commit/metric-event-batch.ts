import type { MetricEventId, TraceId } from '@spoor/contract/ids'
import type { MetricEventKey } from '../../ports/journal/journal.ts'
import type { MetricEventVerdict, MetricJudgement } from '../../ports/journal/metric-event.ts'
import type { Known } from '../../ports/log/log.ts'
import { metadataHeirs } from '../intake/terms.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { NewMetricEvent } from '../../ports/traces/trace-store.ts'

/** A judgement to be recorded. */
export interface NewJudgement extends MetricJudgement {
  /**
   * SHA-256 (lower-case hex) of what the client sent: tells a retry from another event with the same idempotency key.
   */
  readonly contentHash: string
}

/** What metric events need of a commit's context. */
export interface MetricEventContext {
  readonly version: number
  readonly now: number
  newMetricEventId(): MetricEventId
  readonly known: Known
}

/** The metric events of one group commit while it is put together. */
export class MetricEventBatch {
  readonly events: NewMetricEvent[] = []
  readonly #context: MetricEventContext
  readonly #keys = new Map<string, MetricEventKey>()
  /** By the metadata of a trace: a batch may hold hundreds of its events. */
  readonly #termsUnder = new Map<Buffer, (own: Buffer) => readonly string[]>()

  constructor(context: MetricEventContext) {
    this.#context = context
  }

  get keys(): readonly MetricEventKey[] {
    return [...this.#keys.values()]
  }

  /**
   * Verdicts in order; `traceOf` gives the newest version of each trace, which may be deleted. Either all are judged
   * and kept, or it throws and nothing is.
   */
  add(judgements: readonly NewJudgement[], traceOf: (id: TraceId) => TraceRecord): readonly MetricEventVerdict[] {
    const keys = new Map<string, MetricEventKey>()
    const events: NewMetricEvent[] = []
    const verdicts = judgements.map((judgement): MetricEventVerdict => {
      const trace = traceOf(judgement.traceId)
      if (trace.deleted) return unknownTrace(judgement.traceId)
      const known = this.#recognise(judgement, keys)
      if (known !== null) return known
      const event = this.#place(trace, judgement)
      const { idempotencyKey: key, contentHash, traceId } = judgement
      if (key !== null) keys.set(`${traceId}${key}`, { traceId, key, eventId: event.record.id, contentHash })
      events.push(event)
      return { status: 'created', event: event.record }
    })
    for (const [place, key] of keys) this.#keys.set(place, key)
    // Not spread into one call: there may be more than a call takes.
    for (const event of events) this.events.push(event)
    return verdicts
  }

  #place(trace: TraceRecord, { contentHash: _, ...judgement }: NewJudgement): NewMetricEvent {
    const { version, now } = this.#context
    return {
      record: {
        ...judgement,
        projectId: trace.projectId,
        id: this.#context.newMetricEventId(),
        version,
        createdAt: now,
      },
      runType: trace.runType,
      models: trace.models,
      terms: this.#termsOf(judgement.metadata, trace.metadata),
    }
  }

  #termsOf(own: Buffer, inherited: Buffer): readonly string[] {
    let terms = this.#termsUnder.get(inherited)
    if (terms === undefined) this.#termsUnder.set(inherited, (terms = metadataHeirs(inherited)))
    return terms(own)
  }

  /** An event that was recorded before with the same idempotency key; null for a new one. */
  #recognise(
    { traceId, idempotencyKey, contentHash }: NewJudgement,
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

import type { KeyId, TraceId } from '@spoor/contract/ids'
import type { MetricEventKey } from '../../../ports/journal/journal.ts'
import type { MetricEventVerdict, MetricScore, RemovedMetricEvent } from '../../../ports/journal/metric-event.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { NewMetricEvent } from '../../../ports/traces/trace-store.ts'
import { termsWithInherited } from '../../rules/terms.ts'
import type { CommitBatch } from '../commit-batch.ts'

export interface NewScore extends MetricScore {
  /**
   * SHA-256 (lower-case hex) of what the client sent. It distinguishes a retry from another event with the same
   * idempotency key.
   */
  readonly contentHash: string
}

/**
 * Verdicts in order. Adds all events or throws and adds none. All traces MUST be held in memory. A metric event does
 * not change its trace.
 */
export function planEvents(
  batch: CommitBatch,
  scores: readonly NewScore[],
  createdBy: KeyId | null = null,
): readonly MetricEventVerdict[] {
  const keys = new Map<string, MetricEventKey>()
  const events: NewMetricEvent[] = []
  const verdicts = scores.map((score): MetricEventVerdict => {
    const { idempotencyKey: key, contentHash, traceId } = score
    const trace = batch.latest(traceId)
    if (trace.deleted) return unknownTrace(traceId)
    const known = key === null ? undefined : (keys.get(`${traceId}${key}`) ?? batch.metricEventKey(traceId, key))
    if (known !== undefined) {
      if (known.contentHash === contentHash) return { status: 'duplicate', eventId: known.eventId }
      const detail = `The idempotency key was used for metric event ${known.eventId} with other content.`
      return { status: 'error', code: 'idempotency_conflict', detail }
    }
    const event = placed(batch, trace, score, createdBy)
    if (key !== null) keys.set(`${traceId}${key}`, { traceId, key, eventId: event.record.id, contentHash })
    events.push(event)
    return { status: 'created', event: event.record }
  })
  batch.addMetricEvents(events, keys.values())
  for (const { record } of events) {
    batch.emit(record.projectId, { type: 'metric.event', traceId: record.traceId, eventId: record.id })
  }
  return verdicts
}

export function unknownTrace(traceId: TraceId): MetricEventVerdict {
  return { status: 'error', code: 'unknown_trace', detail: `There is no trace ${traceId} in this project.` }
}

/** The event MUST be committed. If another operation removes it too, both say so. */
export function planRemoval(batch: CommitBatch, event: RemovedMetricEvent): void {
  const { projectId, traceId, id, metricId, at, idempotencyKey } = event
  batch.removedEvents.push({ projectId, traceId, id, metricId, at, idempotencyKey })
  batch.emit(projectId, { type: 'metric.removed', traceId, eventId: id })
}

function placed(
  batch: CommitBatch,
  trace: TraceRecord,
  { contentHash: _, ...score }: NewScore,
  createdBy: KeyId | null,
): NewMetricEvent {
  const { version, now, newMetricEventId } = batch.context
  return {
    record: { ...score, projectId: trace.projectId, id: newMetricEventId(), createdBy, version, createdAt: now },
    runType: trace.runType,
    models: trace.models,
    terms: termsUnder(batch, trace.metadata)(score.metadata),
  }
}

/** Of each commit by the metadata of a trace, because a commit may hold hundreds of events of one trace. */
const known = new WeakMap<CommitBatch, Map<Buffer, (own: Buffer) => readonly string[]>>()

function termsUnder(batch: CommitBatch, inherited: Buffer): (own: Buffer) => readonly string[] {
  const ofBatch = known.get(batch) ?? new Map<Buffer, (own: Buffer) => readonly string[]>()
  known.set(batch, ofBatch)
  let terms = ofBatch.get(inherited)
  if (terms === undefined) ofBatch.set(inherited, (terms = termsWithInherited(inherited)))
  return terms
}

import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import type { MetricEventRecord, MetricSource } from '../ports/journal/metric-event.ts'
import type { DomainError } from '../lib/domain-error.ts'
import type { RefusedLine } from '../lib/lines/line-group.ts'
import type { Page } from '../lib/list-page.ts'
import type { DefinedMetric } from './define-metric.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'

/** What a client may do with metrics. What belongs to another project is answered exactly as what does not exist. */
export interface MetricUseCases {
  /** Throws DomainError `validation_failed` and `metric_conflict`. */
  define(projectId: ProjectId, body: MetricCreate): Promise<DefinedMetric>
  /** Throws DomainError `not_found` and `validation_failed`. Seen by every request after that. */
  change(projectId: ProjectId, name: string, body: MetricPatch): Promise<MetricDefinition>
  /** Throws DomainError `not_found`. */
  find(projectId: ProjectId, name: string): Promise<MetricDefinition>
  /** Oldest first. Throws DomainError `invalid_cursor`. */
  list(page: {
    readonly projectId: ProjectId
    readonly cursor: string | null
    readonly limit: number
  }): Promise<Page<MetricDefinition>>
  /**
   * A JSON body: one event, or an array of them, whose verdicts come as those of `recordLines`. One event that is refused throws the DomainError of what is wrong
   * with it; so does an array that is no JSON, too deep or too long, before anything is recorded. `body` MUST stay as it is until the verdicts have been taken.
   */
  record(projectId: ProjectId, body: Buffer): Promise<RecordedEvent | MetricBatch>
  /**
   * NDJSON lines as they arrive. Yields verdicts in line order, each group only once its `created` events are durable and readable. When `chunks` throws (the
   * client vanished), complete lines received so far are kept, the partial one is dropped, and the iteration ends with that error after their verdicts. Reads ahead
   * a bounded number of bytes, whatever the consumer does.
   */
  recordLines(projectId: ProjectId, chunks: AsyncIterable<Buffer>): AsyncIterable<readonly EventLineVerdict[]>
  listEvents(query: MetricEventListQuery): Promise<{
    readonly events: readonly NamedMetricEvent[]
    readonly nextCursor: string | null
  }>
  /** Whether the project has any metric: without one no trace has events. */
  hasAny(projectId: ProjectId): Promise<boolean>
  /** All events of a trace, in the order they came, read page by page as the consumer asks: no page is held longer than its turn. */
  eventsOf(projectId: ProjectId, traceId: TraceId): AsyncIterable<readonly NamedMetricEvent[]>
}

/** An event with the name of its metric. */
export interface NamedMetricEvent {
  readonly name: string
  readonly event: MetricEventRecord
}

export interface RecordedEvent extends NamedMetricEvent {
  readonly kind: 'event'
  /** True when an earlier request with the same idempotency key had already recorded it. */
  readonly replayed: boolean
}

export interface MetricBatch {
  readonly kind: 'batch'
  readonly verdicts: AsyncIterable<readonly EventLineVerdict[]>
  /** What has not been submitted yet is not: one verdict with this error, on the first of the rest, stands for it. */
  stop(error: DomainError): void
}

/** Verdict on one event of a batch, `line` counted from 1: the element of the array, or the physical line (blank lines are counted and skipped). */
export type EventLineVerdict =
  { readonly line: number; readonly status: 'created' | 'duplicate'; readonly eventId: MetricEventId } | RefusedLine

/** Null in any of these: all. Ids are as they were sent: what names nothing matches nothing. */
export interface MetricEventListQuery {
  readonly projectId: ProjectId
  readonly name: string | null
  readonly traceId: string | null
  readonly stepId: string | null
  readonly source: MetricSource | null
  /** As in series (metric-event-store.ts). */
  readonly runType: string | null
  readonly model: string | null
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Bounds on `at`, milliseconds; start inclusive, end exclusive. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** 1 to 1000. */
  readonly limit: number
  readonly cursor: string | null
}

import type { MetricEventId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricCreate, MetricPatch } from '@spoor/contract/schemas/metrics/metric'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { Principal } from '../ports/access/scopes.ts'
import type { MetricEventRecord, MetricSource, MetricValue } from '../ports/journal/metric-event.ts'
import type { DomainError } from '../lib/domain-error.ts'
import type { RefusedLine } from '../lib/lines/line-group.ts'
import type { Page, PageRequest } from '../lib/list-page.ts'
import type { HashedScore } from './metric-recorder.ts'
import type { DefinedMetric } from './define-metric.ts'
import type { StepEvaluation } from './record-evaluations.ts'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'

/** Metric use cases of a client. Data of another project gets the same answer as data that does not exist. */
export interface MetricUseCases {
  /** Throws DomainError `validation_failed` and `metric_conflict`. */
  define(projectId: ProjectId, body: MetricCreate): Promise<DefinedMetric>
  /** Throws DomainError `not_found` and `validation_failed`. Every later request sees the change. */
  change(projectId: ProjectId, name: string, body: MetricPatch): Promise<MetricDefinition>
  /** Throws DomainError `not_found`. */
  find(projectId: ProjectId, name: string): Promise<MetricDefinition>
  /** Oldest first. Throws DomainError `invalid_cursor`. */
  list(page: PageRequest & { readonly projectId: ProjectId }): Promise<Page<MetricDefinition>>
  /**
   * A JSON body: one event, or an array of them, with results like `recordLines`. One refused event throws its
   * DomainError; so does an array that is malformed, too deep or too long, before anything is recorded. `body` MUST NOT
   * change until the results have been taken.
   */
  record(author: Author, body: Buffer): Promise<RecordedEvent | MetricBatch>
  /**
   * The events of a JSON array for one commit, valid by the definitions of their metrics and not recorded. Throws
   * DomainError `validation_failed` for the first that is not, and for more than PART_METRIC_EVENTS_MAX.
   */
  check(projectId: ProjectId, events: Buffer): Promise<readonly HashedScore[]>
  /**
   * NDJSON lines as they arrive. Yields results in line order, each group only once its `created` events are durable
   * and readable. When `chunks` throws (the client disconnected), complete lines received so far are recorded, the
   * partial one is dropped, and the iteration ends with that error after their results. Reads ahead a bounded number of
   * bytes, whatever the consumer does.
   */
  recordLines(author: Author, chunks: AsyncIterable<Buffer>): AsyncIterable<readonly EventLineVerdict[]>
  /**
   * Every later read is without the event. Throws DomainError `not_found`; `insufficient_scope` if another key recorded
   * it and this one has no `manage`; `queue_full` while too many removed events are still on disk.
   */
  remove(principal: Principal, id: MetricEventId): Promise<void>
  listEvents(query: MetricEventListQuery): Promise<{
    readonly events: readonly NamedMetricEvent[]
    readonly nextCursor: string | null
  }>
  /** A page of the events of a trace, in order of arrival: those after this one, at most 1,000, about 2 MB. */
  listArrived(
    projectId: ProjectId,
    traceId: TraceId,
    after: MetricEventId | null,
  ): Promise<{ readonly events: readonly NamedMetricEvent[]; readonly more: boolean }>
  /**
   * Of each trace its latest values of these metrics, by name; a metric without an event, or that does not exist, is
   * missing.
   */
  latestValues(
    projectId: ProjectId,
    names: readonly string[],
    traceIds: readonly TraceId[],
  ): Promise<ReadonlyMap<TraceId, ReadonlyMap<string, MetricValue>>>
  /** Scores of committed traces and steps; see record-evaluations.ts. */
  recordEvaluations(projectId: ProjectId, evaluations: readonly StepEvaluation[]): Promise<readonly string[]>
  /** To be changed; see record-evaluations.ts. */
  findScore(projectId: ProjectId, key: string): Promise<StepEvaluation | null>
  /** Whether the project has any metric: without one no trace has events. */
  hasAny(projectId: ProjectId): Promise<boolean>
  /**
   * All events of a trace, in order of arrival, read page by page as the consumer requests them; a page is held only
   * until the next one.
   */
  eventsOf(projectId: ProjectId, traceId: TraceId): AsyncIterable<readonly NamedMetricEvent[]>
}

/** The key that records events, in its project. */
export type Author = Pick<Principal, 'projectId' | 'keyId'>

export interface NamedMetricEvent {
  readonly name: string
  readonly event: MetricEventRecord
}

export interface RecordedEvent extends NamedMetricEvent {
  readonly kind: 'event'
  /** True if an earlier request with the same idempotency key already recorded it. */
  readonly replayed: boolean
}

export interface MetricBatch {
  readonly kind: 'batch'
  readonly verdicts: AsyncIterable<readonly EventLineVerdict[]>
  /**
   * Events that were not submitted yet are not recorded: one result with this error, on the first of them, represents
   * all.
   */
  stop(error: DomainError): void
}

/**
 * Result of one event of a batch, `line` counted from 1: the element of the array, or the physical line (blank lines
 * are counted and skipped).
 */
export type EventLineVerdict =
  { readonly line: number; readonly status: 'created' | 'duplicate'; readonly eventId: MetricEventId } | RefusedLine

/** Null in any of these: all. Ids are as sent: a malformed id matches nothing. The rest as in MetricEventQuery. */
export interface MetricEventListQuery extends PageRequest, TraceFilters<'events'> {
  readonly projectId: ProjectId
  readonly name: string | null
  readonly traceId: string | null
  readonly stepId: string | null
  readonly source: MetricSource | null
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Bounds on `at`, milliseconds; start inclusive, end exclusive. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Which of these traces pass the filters of the list of traces; null: all. A page may end early. */
  readonly passing: ((traceIds: readonly TraceId[]) => Promise<ReadonlySet<TraceId>>) | null
}

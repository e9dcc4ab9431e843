import type { MetricEventId, MetricId, ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricEventRecord, MetricSource, MetricValue } from '../journal/metric-event.ts'

/** Where a page of a list ends: the last event it showed. */
export interface MetricEventPosition {
  /** `at` of the event, milliseconds. */
  readonly at: number
  readonly id: MetricEventId
}

/** Its filters of traces hold for the trace as series have it: when the event came. */
export interface MetricEventQuery extends TraceFilters<'events'> {
  readonly projectId: ProjectId
  /** Null in any of these: all. */
  readonly metricId: MetricId | null
  readonly traceId: TraceId | null
  readonly stepId: StepId | null
  readonly source: MetricSource | null
  /** Of the event and, for keys that it lacks, of its trace when it came; `value` null means "has the key". */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Bounds on `at`, milliseconds; start inclusive, end exclusive. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Only events after this one. */
  readonly after: MetricEventPosition | null
  readonly limit: number
}

/** A metric value of a trace, with the position of its event. */
export interface LatestValue extends MetricEventPosition {
  readonly traceId: TraceId
  readonly metricId: MetricId
  readonly value: MetricValue
}

/** Committed metric events. Removed ones and those of deleted traces are never among them. */
export interface MetricEventStore {
  /**
   * Newest `at` first, in the same millisecond the greatest id first; at most `limit`. Fewer than that only at the end.
   */
  list(query: MetricEventQuery): Promise<readonly MetricEventRecord[]>
  /**
   * Events of these traces with ids above `after`, in order of arrival; at most `limit` of each trace. `withDeleted`:
   * also those of deleted traces that have their rows.
   */
  findByTraces(query: {
    readonly projectId: ProjectId
    readonly traceIds: readonly TraceId[]
    readonly after: MetricEventId | null
    readonly limit: number
    readonly withDeleted?: boolean
  }): Promise<readonly MetricEventRecord[]>
  /**
   * Of each of these traces and metrics the event that `list` would show first, if there is one; in no order. Those of
   * traces that are being deleted may be among them.
   */
  latestOf(
    projectId: ProjectId,
    metricIds: readonly MetricId[],
    traceIds: readonly TraceId[],
  ): Promise<readonly LatestValue[]>
  /** Without its trace: reads more than `find`. */
  findById(projectId: ProjectId, id: MetricEventId): Promise<MetricEventRecord | undefined>
  find(projectId: ProjectId, traceId: TraceId, id: MetricEventId): Promise<MetricEventRecord | undefined>
  /** As `find`, but only existing ones, in no order. */
  findMany(
    projectId: ProjectId,
    places: readonly { readonly traceId: TraceId; readonly id: MetricEventId }[],
  ): Promise<readonly MetricEventRecord[]>
}

import type { MetricEventId, MetricId, ProjectId, TraceId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../../ports/journal/metric-event.ts'
import type {
  LatestValue,
  MetricEventPosition,
  MetricEventQuery,
  MetricEventStore,
} from '../../ports/metrics/metric-event-store.ts'
import type { Marks, Timeline } from '../cluster/timeline.ts'
import type { StoredTrace, TraceReads } from '../../ports/traces/trace-store.ts'

/** The reads of the engine that are joined with what memory holds. */
export type SettledReads = Omit<TraceReads, 'purgeTraces' | 'purgeEvents' | 'sizeBytes'>

/** Rows in the engine's format. Each may be empty. */
export interface RowBytes {
  readonly traces: Buffer
  readonly steps: Buffer
  /** For both tables of metric events: each reads the columns that it has. */
  readonly metricEvents: Buffer
}

/** The engine, to all but its adapter. */
export interface SettledRows extends TraceReads {
  /**
   * Durable and readable when it resolves. When it rejects, any part may be stored; `insertMissing` adds the rest.
   * `batch`: see TelemetryEngine.insert.
   */
  insert(rows: RowBytes, batch?: string): Promise<void>
  /**
   * Inserts the rows with versions from `from` through `through` that are not stored yet; of several versions of a
   * trace, the latest is enough.
   */
  insertMissing(rows: RowBytes, from: number, through: number): Promise<void>
  /** The greatest stored version of each trace; absent for a trace without rows. */
  newestVersions(traces: readonly StoredTrace[]): Promise<Map<TraceId, number>>
}

/** An engine that several processes share. */
export interface SharedRows extends SettledRows {
  /** Marks that the rows of all commits through this one are stored. Call it after the inserts of the batch. */
  markSettled(timeline: Timeline, through: number, batch: string): Promise<void>
  /** All commits through this one are readable here, on the server that this process reads. 0 before the first mark. */
  settledThrough(timeline: Timeline): Promise<number>
  /** The greatest mark of each timeline, on each server. */
  marks(): Promise<Marks>
}

/** The position of an event in a list, and the location of its record. */
export interface FoundMetricEvent extends MetricEventPosition {
  readonly traceId: TraceId
}

export interface SettledMetricEvents extends Pick<MetricEventStore, 'findByTraces'> {
  /**
   * The first events of a list in its order, including events of deleted traces: `limit` of them, or all if there are
   * fewer. `now`: milliseconds since 1970 UTC.
   */
  findPlaces(query: MetricEventQuery, now: number): Promise<readonly FoundMetricEvent[]>
  /** In no particular order. */
  findRecords(
    projectId: ProjectId,
    places: readonly { readonly traceId: TraceId; readonly id: MetricEventId }[],
  ): Promise<readonly MetricEventRecord[]>
  /** See MetricEventStore. */
  latestOf(
    projectId: ProjectId,
    metricIds: readonly MetricId[],
    traceIds: readonly TraceId[],
    without: ReadonlySet<MetricEventId>,
  ): Promise<readonly LatestValue[]>
  /** Null if there is no such event. */
  findPlace(projectId: ProjectId, id: MetricEventId): Promise<Pick<FoundMetricEvent, 'traceId' | 'id'> | null>
}

import type { Aggregation, MonitorMeasure as TraceMeasure } from '@spoor/contract/aggregations'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../journal/metric-event.ts'

export type { Aggregation, TraceMeasure }

export type MeasureSource =
  /** A metric of the project. */
  { readonly kind: 'metric'; readonly metricId: MetricId } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

/**
 * Which rows count; all filters that are not null must hold. Names mean what they mean in the feed. A filter on a trace
 * applies to a metric event's trace.
 */
export interface MeasureFilters extends TraceFilters<'monitors'> {
  /** `value` null: has the key. Of a metric event its own metadata, else its trace's. */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** For metric events only. */
  readonly source: MetricSource | null
}

/** An aggregate of a window. A row's time is `at` (metric events) or `created_at` (traces), milliseconds. */
export interface MeasureQuery {
  readonly source: MeasureSource
  readonly filters: MeasureFilters
  /**
   * Of numbers (booleans are 1 and 0). `pass_rate` and `share` are between 0 and 1. Percentiles are interpolated, and
   * may be approximate for very many numbers.
   */
  readonly aggregation: Aggregation
  /** `share` of an enum metric: events with this option divided by all of the window. */
  readonly option: string | null
}

export interface MeasureResult {
  /** Null when no row of the window has a number to aggregate; a count is 0 then. */
  readonly value: number | null
  /** Rows of the window that pass the filters and have a number (for `duration_ms`, a trace of known duration). */
  readonly samples: number
}

/**
 * Aggregates over everything committed before the call, by the latest version of each trace, without deleted traces.
 */
export interface MonitorMeasures {
  /** One result for each query, in order; the window is `(from, until]`. Few statements serve many queries. */
  measure(
    projectId: ProjectId,
    queries: readonly (MeasureQuery & { readonly from: number; readonly until: number })[],
  ): Promise<readonly MeasureResult[]>
  /**
   * The same query at `count` times, the first at `firstAt`, each `stepMs` after the one before; each window is
   * `(time - windowMs, time]`.
   */
  measureOver(
    projectId: ProjectId,
    query: MeasureQuery,
    times: { readonly firstAt: number; readonly stepMs: number; readonly count: number; readonly windowMs: number },
  ): Promise<readonly MeasureResult[]>
}

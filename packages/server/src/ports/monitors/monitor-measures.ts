import type { Aggregation, MonitorMeasure as TraceMeasure } from '@spoor/contract/aggregations'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../journal/metric-event.ts'

export type { Aggregation, TraceMeasure }

export type MeasureSource =
  { readonly kind: 'metric'; readonly metricId: MetricId } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

/**
 * Which rows count; all of what is not null must hold. The names mean what they mean in the feed; those of an event are
 * its trace's.
 */
export interface MeasureFilters extends TraceFilters<'monitors'> {
  /** `value` null: has the key. Of a metric event its own metadata, else its trace's. */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Metric events alone. */
  readonly source: MetricSource | null
}

/** What a window comes to. Rows are placed by `at` (metric events) or `created_at` (traces), milliseconds. */
export interface MeasureQuestion {
  readonly source: MeasureSource
  readonly filters: MeasureFilters
  /** Of numbers (booleans are 1 and 0). `pass_rate` and `share` are between 0 and 1. */
  readonly aggregation: Aggregation
  /** `share` of an enum metric: events with this option among all of the window. */
  readonly option: string | null
}

export interface MeasureAnswer {
  /** Null when no row of the window has a number to aggregate; a count is 0 then. */
  readonly value: number | null
  /**
   * Rows of the window that pass the filters and have a number (traces of unknown duration are none for `duration_ms`).
   */
  readonly samples: number
}

/** Aggregates over what is committed when the question is asked, deleted traces excepted. */
export interface MonitorMeasures {
  /** One answer for each question, in order; the window is `(from, until]`. Many are answered by few queries. */
  measure(
    projectId: ProjectId,
    questions: readonly (MeasureQuestion & { readonly from: number; readonly until: number })[],
  ): Promise<readonly MeasureAnswer[]>
  /**
   * The same question at `count` times, the first at `firstAt`, each `stepMs` after the one before; each window is
   * `(time - windowMs, time]`.
   */
  measureOver(
    projectId: ProjectId,
    question: MeasureQuestion,
    times: { readonly firstAt: number; readonly stepMs: number; readonly count: number; readonly windowMs: number },
  ): Promise<readonly MeasureAnswer[]>
}

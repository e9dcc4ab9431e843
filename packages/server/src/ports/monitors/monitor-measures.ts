import type { Aggregation, MonitorMeasure } from '@spoor/contract/aggregations'
import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { SeriesFieldText } from '@spoor/contract/series-fields'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../journal/metric-event.ts'

export type { Aggregation, MonitorMeasure }

export type MeasureSource =
  /** A metric of the project. */
  | { readonly kind: 'metric'; readonly metricId: MetricId }
  /** The time of a step is that of its trace. */
  | { readonly kind: 'traces' | 'steps'; readonly measure: MonitorMeasure }

/** `for_each`. Of a metric event also `source`. */
export type MonitorField = SeriesFieldText | 'source'

/**
 * Which rows count; all filters that are not null must hold. Names mean what they mean in the feed. A filter on a trace
 * applies to the trace of a step or metric event, a filter on a step to the step, or else to one step of the trace.
 */
export interface MeasureFilters extends TraceFilters<'monitors'> {
  /** `value` null: has the key. Of a metric event its own metadata, else its trace's. */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
  /** Words to search for, as in the feed. */
  readonly text?: string
  /** For metric events only. */
  readonly source: MetricSource | null
}

/** An aggregate of a window. A row's time is `at` (metric events) or the trace's `created_at`, milliseconds. */
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
  /** Each value of this field is measured by itself; rows without a value are not. Null: all rows together. */
  readonly forEach: MonitorField | null
}

/** With its window `(from, until]`, milliseconds. */
export interface WindowQuery extends MeasureQuery {
  readonly from: number
  readonly until: number
  /** With `forEach`: groups whose results are needed, however few samples they have. */
  readonly needed?: readonly string[]
}

export interface MeasureResult {
  /** Null when no row of the window has a number to aggregate; a count is 0 then. */
  readonly value: number | null
  /**
   * Rows of the window that pass the filters and have a number (for `duration_ms`, a trace of known duration). A sum of
   * costs has all rows: those of unknown cost add nothing.
   */
  readonly samples: number
  /**
   * With `forEach`: at least the MONITOR_GROUPS_MAX values with the most samples, by descending samples, and the needed
   * ones that rows of the window have. `value` is null then, and `samples` is the sum of all values.
   */
  readonly groups?: readonly GroupResult[]
}

export interface GroupResult extends Omit<MeasureResult, 'groups'> {
  readonly group: string
}

/**
 * Aggregates over everything committed before the call, by the latest version of each trace, without deleted traces.
 */
export interface MonitorMeasures {
  /** One result for each query, in order; the window is `(from, until]`. Few statements serve many queries. */
  measure(projectId: ProjectId, queries: readonly WindowQuery[]): Promise<readonly MeasureResult[]>
  /**
   * The same query at `count` times, the first at `firstAt`, each `stepMs` after the one before; each window is
   * `(time - windowMs, time]`. With `forEach` only the `mostGroups` groups with the most rows in all windows.
   */
  measureOver(projectId: ProjectId, query: MeasureQuery, times: MeasureTimes): Promise<readonly MeasureResult[]>
}

export interface MeasureTimes {
  readonly firstAt: number
  readonly stepMs: number
  readonly count: number
  readonly windowMs: number
  /** Default: MONITOR_GROUPS_MAX. */
  readonly mostGroups?: number
}

/** The result of a query with groups. */
export function ofGroups(groups: readonly GroupResult[]): MeasureResult {
  const sorted = groups
    .filter(({ samples }) => samples > 0)
    .toSorted((a, b) => b.samples - a.samples || (a.group < b.group ? -1 : 1))
  return { value: null, samples: sorted.reduce((sum, { samples }) => sum + samples, 0), groups: sorted }
}

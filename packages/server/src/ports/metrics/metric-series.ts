import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../journal/metric-event.ts'
import type { TimeBuckets, TimeSpan } from '../../lib/time/time-buckets.ts'

/** Which events count; all of what is not null must hold. What is of the trace is as it was when the event came. */
interface MetricEventFilters extends TraceFilters<'events'> {
  readonly source: MetricSource | null
  /** The event's own metadata, else its trace's; `value` null means "has the key". */
  readonly metadata: readonly { readonly key: string; readonly value: string | null }[]
}

export type MetricGroupBy =
  | { readonly by: 'run_type' | 'model' | 'source' }
  /** The value of a key of the event's own metadata, else of its trace's. */
  | { readonly by: 'metadata'; readonly key: string }

export interface MetricSeriesQuery {
  readonly projectId: ProjectId
  readonly metricId: MetricId
  readonly kind: 'boolean' | 'numeric' | 'enum'
  /** Of an enum: all that events have had; those with another one do not count. Else empty. */
  readonly options: readonly string[]
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly filters: MetricEventFilters
  readonly groupBy: MetricGroupBy | null
}

/**
 * What the events of a bucket come to. `p50` and `p95` are exact up to 8,192 events, and of a sample of as many beyond.
 */
export type MetricAggregates =
  | { readonly kind: 'boolean'; readonly passed: number }
  | {
      readonly kind: 'numeric'
      readonly avg: number
      readonly min: number
      readonly max: number
      readonly p50: number
      readonly p95: number
    }
  | { readonly kind: 'enum'; readonly counts: Readonly<Record<string, number>> }

export interface SeriesPoint<Aggregates> {
  /** When its bucket begins, milliseconds since 1970 UTC. */
  readonly at: number
  /** Null for what has none, and without groups. Of a metadata value as `meta_value` of the filters takes it. */
  readonly group: string | null
  /** All groups together that were left out; their `group` is null. */
  readonly other?: true
  /** Rows with a number. */
  readonly count: number
  readonly aggregates: Aggregates
}

export interface Series<Aggregates> {
  readonly points: readonly SeriesPoint<Aggregates>[]
  /** How many groups are not among the 100 with the most events: these are one, `other`. */
  readonly groupsLeftOut: number
}

/** Throws DomainError `validation_failed` when more than 10,000 points would come of it. */
export interface MetricSeriesStore {
  /**
   * By bucket, then by group, the one without a group first; empty buckets are left out. Events of deleted traces do
   * not count.
   */
  metricSeries(query: MetricSeriesQuery): Promise<Series<MetricAggregates>>
}

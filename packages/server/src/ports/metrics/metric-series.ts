import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'
import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricSource } from '../journal/metric-event.ts'
import type { TimeBuckets, TimeSpan } from '../../lib/time/time-buckets.ts'
import type { Distribution, Series } from './series-point.ts'

/** Which events count; all filters that are not null must hold. Fields of the trace are those at the event's commit. */
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
  /** A metric of the project. */
  readonly metricId: MetricId
  readonly kind: MetricKind
  /** Of an enum: all options that count; an event with another one does not count. Else empty. */
  readonly options: readonly string[]
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
  readonly filters: MetricEventFilters
  readonly groupBy: MetricGroupBy | null
}

/** Aggregates of a bucket's events. */
export type MetricAggregates =
  | { readonly kind: 'boolean'; readonly passed: number }
  | ({ readonly kind: 'numeric' } & Distribution<'metrics'>)
  | { readonly kind: 'enum'; readonly counts: Readonly<Record<string, number>> }

/** Rejects with DomainError `validation_failed` for more than 10,000 points. */
export interface MetricSeriesStore {
  /**
   * Points by bucket, then by group, the one without a group first; empty buckets are left out. Includes everything
   * committed before the call, except events of deleted traces.
   */
  metricSeries(query: MetricSeriesQuery): Promise<Series<MetricAggregates>>
}

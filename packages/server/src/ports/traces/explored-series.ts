import type { ClusterId, MetricId, TraceId } from '@spoor/contract/ids'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'
import type {
  SeriesFieldName,
  SeriesMeasureName,
  SeriesOrder,
  SeriesRows,
  SeriesStat,
} from '@spoor/contract/series-fields'
import type { TimeBuckets, TimeSpan } from '../../lib/time/time-buckets.ts'
import type { Distribution } from '../metrics/series-point.ts'
import type { SummaryQuery } from './trace-summaries.ts'

/** A field of `group_by`, with what was looked up for it. */
export type SeriesGroup =
  | { readonly by: Exclude<SeriesFieldName, 'cluster'> }
  | { readonly by: 'metadata'; readonly key: string }
  | { readonly by: 'metric'; readonly metricId: MetricId; readonly kind: Exclude<MetricKind, 'numeric'> }
  /** The members of each cluster within the time, at most 100,000 together. */
  | { readonly by: 'cluster'; readonly members: readonly (readonly [ClusterId, readonly TraceId[]])[] }

export interface BucketedSpan {
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
}

/** Filters of steps hold for the step in a series of steps. `rates` are needed for costs. */
export interface ExploredQuery extends Omit<SummaryQuery, 'by' | 'startTime' | 'endTime' | 'throughId'>, BucketedSpan {
  readonly rows: SeriesRows
  /** The newest value of a metric: of a trace or any step of it, or of the step. */
  readonly measure: SeriesMeasureName | { readonly metricId: MetricId }
  readonly stat: SeriesStat
  /** At most two. */
  readonly groupBy: readonly SeriesGroup[]
  readonly order: SeriesOrder
  /** How many groups are shown. */
  readonly limit: number
  /** The time before, whose buckets have the same numbers; null: not compared. */
  readonly previous: BucketedSpan | null
}

/** Of the rows of one group: their number, the value of the statistic, and more of the measure. */
export interface ExploredValue {
  readonly count: number
  readonly value: number | null
  readonly sum?: number
  readonly errors?: number
  readonly distribution?: Distribution<'traces'>
}

export interface ExploredGroup {
  /** The value of each field of `groupBy`; null for none. Empty for `other`, and without fields. */
  readonly values: readonly (string | null)[]
  readonly other: boolean
  readonly now: ExploredValue
  /** Null when nothing is compared. */
  readonly previous: ExploredValue | null
}

export interface ExploredPoint extends ExploredGroup {
  /** Starts of the bucket, now and in the time before. */
  readonly at: number
  readonly previousAt: number | null
}

/** By time, then in the order of `groups`, `other` last. */
export interface ExploredSeries {
  readonly points: readonly ExploredPoint[]
  /** In the order of the query; one without fields. */
  readonly groups: readonly ExploredGroup[]
  readonly groupsLeftOut: number
  /** Of a cost: models without a price, sorted. */
  readonly unpricedModels: readonly string[]
}

/**
 * The latest version of each row counts; those of deleted traces do not. Everything committed before a call counts.
 * Throws DomainError `validation_failed` for more than 10,000 points, or too many groups to find those that changed.
 */
export interface ExploredSeriesStore {
  exploredSeries(query: ExploredQuery): Promise<ExploredSeries>
}

import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { Clock } from '../lib/time/clock.ts'
import { type SpanRequest, type TimeBuckets, type TimeSpan, toBucketedSpan } from '../lib/time/time-buckets.ts'
import type { MetricAggregates, MetricSeriesQuery, MetricSeriesStore } from '../ports/metrics/metric-series.ts'
import type { Series } from '../ports/metrics/series-point.ts'

/** The fields of a definition that a series needs. */
interface SeriesMetric {
  readonly id: MetricId
  readonly kind: MetricSeriesQuery['kind']
  /** Options of an enum; null for other kinds. */
  readonly options: readonly { readonly value: string }[] | null
}

export interface MetricSeriesDependencies {
  readonly store: MetricSeriesStore
  /** Throws DomainError `not_found` for a name that no metric of the project has. */
  readonly findMetric: (projectId: ProjectId, name: string) => Promise<SeriesMetric>
  readonly clock: Clock
}

/** A series query as a client sends it: by name, and without what the service decides. */
export interface MetricSeriesRequest extends Pick<MetricSeriesQuery, 'projectId' | 'filters' | 'groupBy'> {
  readonly name: string
  readonly times: SpanRequest
}

export interface MetricSeries extends Series<MetricAggregates> {
  readonly span: TimeSpan
  readonly buckets: TimeBuckets
}

/** Throws DomainError `not_found` for a name that no metric of the project has, and `validation_failed`. */
export async function readMetricSeries(
  { store, findMetric, clock }: MetricSeriesDependencies,
  { name, times, ...request }: MetricSeriesRequest,
): Promise<MetricSeries> {
  const { span, buckets } = toBucketedSpan(times, clock.now())
  const { id: metricId, kind, options: known } = await findMetric(request.projectId, name)
  const options = known?.map(({ value }) => value) ?? []
  return { span, buckets, ...(await store.metricSeries({ ...request, metricId, kind, options, span, buckets })) }
}

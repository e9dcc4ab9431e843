import type { MetricSeries, TraceSeries } from '@spoor/contract/schemas/series'
import type { MetricSeriesQuery } from '@spoor/contract/schemas/series-query'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { bucketStart, type PointWeight, type SeriesPoint, toColumns, zoneOf } from '../lib/series-data.ts'
import { boundsOf, bucketFor, type TimeRange } from '../lib/time-range.ts'
import { request } from './client/request.ts'

/** Those that a chart of the dashboard shows. */
export type TraceMeasure = 'count' | 'error_rate' | 'recovered_errors' | 'duration_ms' | 'total_tokens' | 'cost_usd'

export type SeriesSubject =
  | { readonly kind: 'metric'; readonly name: string }
  | { readonly kind: 'traces'; readonly measure: TraceMeasure; readonly userId?: string }

export interface SeriesRequest {
  readonly subject: SeriesSubject
  readonly range: TimeRange
  /** As named by the API; null: one that divides the range into about `buckets` parts. */
  readonly bucket: string | null
  readonly buckets?: number
  readonly groupBy?: string | undefined
  /** Only for metrics: the source of the events. */
  readonly source?: MetricSeriesQuery['source']
}

const DAY_MS = 86_400_000

/** The bucket length of a range if none was chosen. */
export function automaticBucket(range: TimeRange, buckets = 100): string {
  const { from, to } = boundsOf(range, Date.now())
  const end = to ?? Date.now()
  return bucketFor(end - (from ?? end - DAY_MS), buckets)
}

/** A series by bucket. Refetched while its range ends now. `weightOf` ranks its groups. */
export function seriesQuery(series: SeriesRequest, weightOf?: PointWeight) {
  return queryOptions({
    queryKey: ['series', ...keyOf(series)],
    queryFn: async ({ signal }) => {
      const answer = await readSeries(series, false, signal)
      const unpriced = 'unpriced_models' in answer ? answer.unpriced_models : []
      return { ...toColumns(answer, weightOf), groups_left_out: answer.groups_left_out, unpriced }
    },
    refetchInterval: refetchEvery(series),
    placeholderData: keepPreviousData,
  })
}

/** The same range as one bucket: one point per named group. */
export function rangeQuery(series: SeriesRequest) {
  return queryOptions({
    queryKey: ['series-range', ...keyOf(series)],
    queryFn: async ({ signal }): Promise<readonly SeriesPoint[]> => {
      const { points } = await readSeries(series, true, signal)
      return points.filter(({ other }) => other !== true)
    },
    refetchInterval: refetchEvery(series),
    placeholderData: keepPreviousData,
  })
}

function keyOf({ subject, range, bucket, buckets, groupBy, source }: SeriesRequest) {
  return [subject, range, bucket, buckets, groupBy, source]
}

function refetchEvery({ range }: SeriesRequest): number | false {
  return range.kind === 'between' ? false : 30_000
}

function readSeries(
  { subject, range, bucket, buckets, groupBy, source }: SeriesRequest,
  asOne: boolean,
  signal: AbortSignal,
) {
  const path =
    subject.kind === 'traces' ? '/v1/traces/series' : `/v1/metrics/${encodeURIComponent(subject.name)}/series`
  const length = bucket ?? automaticBucket(range, buckets)
  const { from, to } = boundsOf(range, Date.now())
  // In a range that moves with the time, the first bucket is whole, too.
  const begin = from === null || range.kind !== 'last' ? from : bucketStart(from, length)
  const query = {
    ...(subject.kind === 'traces' ? { measure: subject.measure, user_id: subject.userId } : { source }),
    bucket: asOne ? 'all' : length,
    tz: zoneOf(length),
    group_by: groupBy,
    start_time: begin === null || Number.isNaN(begin) ? undefined : new Date(begin).toISOString(),
    end_time: to === null ? undefined : new Date(to).toISOString(),
  }
  return request<MetricSeries | TraceSeries>(path, { query, signal })
}

import type { MetricSeries, StepSeries, TraceSeries } from '@spoor/contract/schemas/series'
import type { SeriesMeasureName } from '@spoor/contract/series-fields'
import type { MetricSeriesQuery } from '@spoor/contract/schemas/series-query'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { bucketStart, type PointWeight, type SeriesPoint, toColumns, zoneOf } from '../lib/series-data.ts'
import { boundsOf, bucketFor, type TimeRange } from '../lib/time-range.ts'
import { feedPath, type Filters } from './client/feed.ts'
import { request } from './client/request.ts'

export type SeriesSubject =
  | { readonly kind: 'metric'; readonly name: string }
  | { readonly kind: 'traces'; readonly measure: SeriesMeasureName; readonly of: Filters }
  | { readonly kind: 'steps'; readonly measure: SeriesMeasureName; readonly of: Filters }

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
      const answer = await readSeries(series, signal, series.bucket ?? automaticBucket(series.range, series.buckets))
      const unpriced = 'unpriced_models' in answer ? answer.unpriced_models : []
      return { ...toColumns(answer, weightOf), groups_left_out: answer.groups_left_out, unpriced }
    },
    refetchInterval: refetchEvery(series),
    placeholderData: keepPreviousData,
  })
}

/**
 * The same range as one bucket: a point per named group, and one of all others. `before`: the period of the same length
 * before it.
 */
export function rangeQuery(series: SeriesRequest, before = false) {
  return queryOptions({
    queryKey: ['series-range', before, ...keyOf(series)],
    queryFn: async ({ signal }) => (await readSeries(series, signal, null, before)).points as readonly SeriesPoint[],
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

/** `bucket` null: one of the whole range. */
function readSeries(series: SeriesRequest, signal: AbortSignal, bucket: string | null, before = false) {
  const { subject, groupBy: group_by, source } = series
  const span = { ...spanOf(series, before), bucket: bucket ?? 'all', tz: bucket === null ? undefined : zoneOf(bucket) }
  const path =
    subject.kind === 'metric'
      ? feedPath(`/v1/metrics/${encodeURIComponent(subject.name)}/series`, NO_FILTERS, { ...span, group_by, source })
      : feedPath(`/v1/${subject.kind}/series`, subject.of, {
          ...span,
          measure: subject.measure,
          group_by,
        })
  return request<MetricSeries | TraceSeries | StepSeries>(path, { signal })
}

const NO_FILTERS: Filters = { filters: {}, metadata: [] }

function spanOf({ range, bucket, buckets }: SeriesRequest, before: boolean) {
  const now = Date.now()
  const { from, to } = boundsOf(range, now)
  const print = (time: number | null) =>
    time === null || Number.isNaN(time) ? undefined : new Date(time).toISOString()
  // In a range that moves with the time, the first bucket is whole, too.
  const begin =
    from === null || range.kind !== 'last' ? from : bucketStart(from, bucket ?? automaticBucket(range, buckets))
  if (before && begin !== null) return { start_time: print(2 * begin - (to ?? now)), end_time: print(begin) }
  // The service would start a day ago.
  return { start_time: begin === null ? EARLIEST : print(begin), end_time: print(to) }
}

const EARLIEST = new Date(0).toISOString()

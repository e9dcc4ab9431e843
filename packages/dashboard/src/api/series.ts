import type { TraceSeries } from '@spoor/contract/schemas/series'
import type { SeriesMeasureText, SeriesOrder, SeriesRows, SeriesStat } from '@spoor/contract/series-fields'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { bucketStart, type GroupTotal, toColumns, zoneOf } from '../lib/series-data.ts'
import { boundsOf, bucketFor, type TimeRange } from '../lib/time-range.ts'
import { feedPath, type Filters } from './client/feed.ts'
import { request } from './client/request.ts'

export interface SeriesSubject {
  readonly rows: SeriesRows
  readonly measure: SeriesMeasureText
  readonly stat: SeriesStat
  readonly of: Filters
}

export interface SeriesRequest {
  readonly subject: SeriesSubject
  readonly range: TimeRange
  /** As named by the API; null: one that divides the range into about `buckets` parts. */
  readonly bucket: string | null
  readonly buckets?: number
  /** One or two fields. */
  readonly groupBy?: readonly string[]
  readonly order?: SeriesOrder | undefined
  readonly limit?: number | undefined
  /** With the period before. */
  readonly compares?: boolean
}

const DAY_MS = 86_400_000

/** The bucket length of a range if none was chosen. */
export function automaticBucket(range: TimeRange, buckets = 100): string {
  const { from, to } = boundsOf(range, Date.now())
  const end = to ?? Date.now()
  return bucketFor(end - (from ?? end - DAY_MS), buckets)
}

/** A series by bucket, and its groups over the whole range. Refetched while its range ends now. */
export function seriesQuery(series: SeriesRequest) {
  const { range, bucket, buckets } = series
  return queryOptions({
    queryKey: ['series', series],
    queryFn: async ({ signal }) => {
      const answer = await readSeries(series, bucket ?? automaticBucket(range, buckets), signal)
      return { ...toColumns(answer), leftOut: answer.groups_left_out, unpriced: answer.unpriced_models }
    },
    refetchInterval: range.kind === 'between' ? false : 30_000,
    placeholderData: keepPreviousData,
  })
}

/** The groups alone, which takes less time than their series. */
export function groupsQuery(series: SeriesRequest) {
  return queryOptions({
    queryKey: ['series-groups', series],
    queryFn: async ({ signal }): Promise<readonly GroupTotal[]> => (await readSeries(series, 'all', signal)).groups,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

function readSeries(series: SeriesRequest, bucket: string, signal: AbortSignal): Promise<TraceSeries> {
  const { subject, groupBy, order, limit, compares = false } = series
  const { rows, measure, stat, of } = subject
  const path = feedPath(`/v1/${rows}/series`, of, {
    ...spanOf(series),
    bucket,
    tz: bucket === 'all' ? undefined : zoneOf(bucket),
    measure,
    stat,
    group_by: groupBy,
    order: order === 'change' && !compares ? undefined : order,
    limit,
    compare: compares ? 'previous' : undefined,
  })
  return request<TraceSeries>(path, { signal })
}

function spanOf({ range, bucket, buckets }: SeriesRequest) {
  const { from, to } = boundsOf(range, Date.now())
  const print = (time: number | null) =>
    time === null || Number.isNaN(time) ? undefined : new Date(time).toISOString()
  // In a range that moves with the time, the first bucket is whole, too.
  const begin =
    from === null || range.kind !== 'last' ? from : bucketStart(from, bucket ?? automaticBucket(range, buckets))
  // The service would start a day ago.
  return { start_time: begin === null ? EARLIEST : print(begin), end_time: print(to) }
}

const EARLIEST = new Date(0).toISOString()

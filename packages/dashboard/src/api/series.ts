import type { MetricSeries, TraceSeries } from '@spoor/contract/schemas/series'
import type { MetricSeriesQuery, TraceSeriesQuery } from '@spoor/contract/schemas/series-query'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { bucketStart, toColumns } from '../lib/series-data.ts'
import { boundsOf, bucketFor, type TimeRange } from '../lib/time-range.ts'
import { request } from './request.ts'

export type TraceMeasure = TraceSeriesQuery['measure']

/** What a series is of. */
export type SeriesSubject =
  { readonly kind: 'metric'; readonly name: string } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

export interface SeriesRequest {
  readonly subject: SeriesSubject
  readonly range: TimeRange
  /** As the API names it; null: one with which the range has about so many as `buckets`. */
  readonly bucket: string | null
  readonly buckets?: number
  readonly groupBy?: string | undefined
  /** Of metrics alone: who judged. */
  readonly source?: MetricSeriesQuery['source']
}

const DAY_MS = 86_400_000

/** How long a bucket of a range is when none was chosen. */
export function automaticBucket(range: TimeRange, buckets = 100): string {
  const { from, to } = boundsOf(range, Date.now())
  const end = to ?? Date.now()
  return bucketFor(end - (from ?? end - DAY_MS), buckets).name
}

/** A series by its buckets, asked for again now and then while it reaches until now. */
export function seriesQuery({ subject, range, bucket, buckets, groupBy, source }: SeriesRequest) {
  const path =
    subject.kind === 'traces' ? '/v1/traces/series' : `/v1/metrics/${encodeURIComponent(subject.name)}/series`
  return queryOptions({
    queryKey: ['series', subject, range, bucket, buckets, groupBy, source],
    queryFn: async ({ signal }) => {
      const length = bucket ?? automaticBucket(range, buckets)
      const { from, to } = boundsOf(range, Date.now())
      // Of a range that moves on with the time the first bucket is whole, too.
      const begin = from === null || range.kind !== 'last' ? from : bucketStart(from, length)
      const query = {
        ...(subject.kind === 'traces' ? { measure: subject.measure } : { source }),
        bucket: length,
        group_by: groupBy,
        start_time: begin === null || Number.isNaN(begin) ? undefined : new Date(begin).toISOString(),
        end_time: to === null ? undefined : new Date(to).toISOString(),
      }
      const answer = await request<MetricSeries | TraceSeries>(path, { query, signal })
      const { groups_left_out, start_time, end_time } = answer
      const unpriced = 'unpriced_models' in answer ? answer.unpriced_models : []
      return { ...toColumns(answer), groups_left_out, unpriced, start_time, end_time, bucket: answer.bucket }
    },
    refetchInterval: range.kind === 'between' ? false : 30_000,
    placeholderData: keepPreviousData,
  })
}

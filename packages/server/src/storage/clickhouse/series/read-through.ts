import { SERIES_GROUPS_MAX } from '@spoor/contract/limits'
import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan, WHOLE_SPAN } from '../../../lib/time/time-buckets.ts'
import type { PointPlace } from '../../../ports/metrics/series-point.ts'
import { partsToRead } from './parts-to-read.ts'
import type { SeriesRead } from './series-cache.ts'

export interface ReadPoints<Point> {
  readonly points: readonly Point[]
  readonly groupsLeftOut: number
}

export interface SeriesReader<Point> {
  readAll(): Promise<ReadPoints<Point>>
  /** Of some spans, without a common bucket. If groups are left out, the points are not used. */
  readPart(part: readonly TimeSpan[]): Promise<ReadPoints<Point>>
}

/** Takes cached buckets from the cache and reads the others from the engine. */
export async function readThrough<Point extends PointPlace>(
  cached: SeriesRead<Point>,
  { span, buckets }: { readonly span: TimeSpan; readonly buckets: TimeBuckets },
  reader: SeriesReader<Point>,
): Promise<ReadPoints<Point>> {
  // Where the span ends now, such a bucket is another one each time, and would evict what others find.
  if (buckets.text === WHOLE_SPAN) return await reader.readAll()
  const found = new Map<number, readonly Point[]>()
  const keep = (part: readonly TimeSpan[], points: readonly Point[]) => {
    for (const [bucket, ofBucket] of byBucket(part, buckets, points)) {
      found.set(bucket, ofBucket)
      if (isWhole(span, buckets, bucket)) cached.store(bucket, ofBucket)
    }
  }
  for (const bucket of bucketsOf(span, buckets)) {
    const points = isWhole(span, buckets, bucket) ? cached.find(bucket) : undefined
    if (points !== undefined) found.set(bucket, points)
  }
  if (found.size > 0) {
    const parts = partsToRead(span, buckets, (bucket) => found.has(bucket))
    const read = await Promise.all(parts.map((part) => reader.readPart(part)))
    // If a part has more groups than a result shows, all rows are needed to find the largest.
    if (read.every(({ groupsLeftOut }) => groupsLeftOut === 0)) {
      read.forEach(({ points }, index) => keep(parts[index] ?? [], points))
      const points = bucketsOf(span, buckets).flatMap((bucket) => found.get(bucket) ?? [])
      if (new Set(points.map(({ group }) => group)).size <= SERIES_GROUPS_MAX) return { points, groupsLeftOut: 0 }
    }
  }
  const series = await reader.readAll()
  // Of more groups than a result shows, all rows are needed each time.
  const isShown =
    series.groupsLeftOut === 0 && new Set(series.points.map(({ group }) => group)).size <= SERIES_GROUPS_MAX
  if (isShown) keep([span], series.points)
  else cached.forget()
  return series
}

function bucketsOf({ startTime, endTime }: TimeSpan, buckets: TimeBuckets): readonly number[] {
  const first = bucketOf(buckets, startTime)
  return Array.from({ length: bucketOf(buckets, endTime - 1) - first + 1 }, (_, index) => first + index)
}

function isWhole({ startTime, endTime }: TimeSpan, buckets: TimeBuckets, bucket: number): boolean {
  return bucketStart(buckets, bucket) >= startTime && bucketStart(buckets, bucket + 1) <= endTime
}

function byBucket<Point extends PointPlace>(
  part: readonly TimeSpan[],
  buckets: TimeBuckets,
  points: readonly Point[],
): ReadonlyMap<number, readonly Point[]> {
  const all = part.flatMap((span) => bucketsOf(span, buckets))
  const found = new Map<number, Point[]>(all.map((bucket) => [bucket, []]))
  for (const point of points) found.get(bucketOf(buckets, point.at))?.push(point)
  return found
}

import type { MetricSeries, TraceSeries } from '@spoor/contract/schemas/series'

/** A point of any series, of metrics, traces or steps, as in the API's responses. */
export type SeriesPoint = MetricSeries['points'][number] & Partial<TraceSeries['points'][number]>

type SeriesAnswer = Pick<MetricSeries, 'start_time' | 'end_time' | 'bucket'> & {
  readonly points: readonly SeriesPoint[]
}

export interface SeriesGroup {
  readonly group: string | null
  /** By bucket; null for an empty one. */
  readonly points: readonly (SeriesPoint | null)[]
}

/** A series by bucket, including the empty buckets that the API leaves out. */
export interface SeriesColumns {
  /** The start of each bucket, milliseconds since 1970. */
  readonly times: readonly number[]
  readonly bucketMs: number
  /** By descending weight. */
  readonly groups: readonly SeriesGroup[]
  /** The sum of all other groups, by bucket; null if there are none. */
  readonly other: SeriesGroup['points'] | null
}

/** A point's contribution to the rank of its group. */
export type PointWeight = (point: SeriesPoint) => number

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
/** Weeks start on Mondays; 1970 started on a Thursday. */
const FIRST_MONDAY = 4 * UNIT_MS.d

/** Milliseconds of a bucket such as `15m`; NaN if invalid. */
export function bucketMsOf(bucket: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhdw])$/.exec(bucket) ?? []
  return digits === undefined || unit === undefined ? NaN : Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

/** The reader's zone, for series whose buckets are days. */
export function zoneOf(bucket: string): string | undefined {
  return hasDays(bucketMsOf(bucket)) ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined
}

/** The start of the bucket that holds a time, aligned as by the service: days begin at the reader's midnight. */
export function bucketStart(time: number, bucket: string): number {
  const ms = bucketMsOf(bucket)
  const origin = bucket.endsWith('w') ? FIRST_MONDAY : 0
  const start = (of: number) => Math.floor((of - origin) / ms) * ms + origin
  return hasDays(ms) ? fromClock(start(toClock(time))) : start(time)
}

/** The end of a bucket, which is the start of the next one. A day may have 23 or 25 hours. */
export function bucketEnd(start: number, bucketMs: number): number {
  return hasDays(bucketMs) ? fromClock(toClock(start) + bucketMs) : start + bucketMs
}

/** The starts of the buckets from one time to another. */
export function bucketStarts(from: number, to: number, bucket: string): number[] {
  const starts = [bucketStart(from, bucket)]
  for (let end = bucketEnd(starts[0]!, bucketMsOf(bucket)); end < to; end = bucketEnd(end, bucketMsOf(bucket)))
    starts.push(end)
  return starts
}

function hasDays(bucketMs: number): boolean {
  return bucketMs > 0 && bucketMs % UNIT_MS.d === 0
}

/** A time as the clocks of the reader show it, as if these were in UTC. */
function toClock(time: number): number {
  return time - new Date(time).getTimezoneOffset() * UNIT_MS.m
}

/** The moment of a midnight; where the clocks skip it, that at which they do. */
function fromClock(midnight: number): number {
  const day = new Date(midnight)
  return new Date(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()).getTime()
}

export function toColumns(
  { start_time, end_time, bucket, points }: SeriesAnswer,
  weightOf: PointWeight = ({ count }) => count,
): SeriesColumns {
  const bucketMs = bucketMsOf(bucket)
  const times = bucketStarts(Date.parse(start_time), Date.parse(end_time), bucket)
  const columnOf = (some: readonly SeriesPoint[]) => {
    const byTime = new Map(some.map((point) => [Date.parse(point.at), point]))
    return times.map((time) => byTime.get(time) ?? null)
  }
  const others = points.filter(({ other }) => other === true)
  const named = Map.groupBy(
    points.filter(({ other }) => other !== true),
    ({ group }) => group,
  )
  const groups = [...named]
    .map(([group, some]) => ({ group, weight: sumOf(some.map(weightOf)), points: columnOf(some) }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ group, points: byBucket }) => ({ group, points: byBucket }))
  return { times, bucketMs, groups, other: others.length === 0 ? null : columnOf(others) }
}

/** Total rows of one column. */
export function rowsOf(points: SeriesGroup['points']): number {
  return sumOf(points.map((point) => point?.count ?? 0))
}

/** Rows in each bucket, over all groups. */
export function volumeOf({ times, groups, other }: SeriesColumns): number[] {
  const columns = [...groups.map(({ points }) => points), ...(other === null ? [] : [other])]
  return times.map((_, index) => sumOf(columns.map((points) => points[index]?.count ?? 0)))
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

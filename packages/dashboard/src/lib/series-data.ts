import type { TraceSeries } from '@spoor/contract/schemas/series'

/** A point of a series of traces or of steps, as in the API's responses. */
export type SeriesPoint = TraceSeries['points'][number]
/** A group over the whole range. */
export type GroupTotal = NonNullable<TraceSeries['groups']>[number]

type SeriesAnswer = Pick<TraceSeries, 'start_time' | 'end_time' | 'bucket' | 'points' | 'groups'>

export interface SeriesGroup {
  readonly key: string
  readonly total: GroupTotal
  /** By bucket; null for an empty one. */
  readonly points: readonly (SeriesPoint | null)[]
}

/** A series by bucket, including the empty buckets that the API leaves out. */
export interface SeriesColumns {
  /** The start of each bucket, milliseconds since 1970. */
  readonly times: readonly number[]
  readonly bucketMs: number
  /** As ranked by the service. */
  readonly groups: readonly SeriesGroup[]
  /** All groups that the service does not name, as one; null if there are none. */
  readonly other: SeriesGroup | null
}

/** The key of all groups that the service does not name. */
export const OTHER_GROUPS = 'other'

/** A group as a line key. A missing value differs from every text. */
export function groupKey({ group, subgroup, other }: Pick<SeriesPoint, 'group' | 'subgroup' | 'other'>): string {
  if (other === true) return OTHER_GROUPS
  if (subgroup !== undefined) return JSON.stringify([group, subgroup])
  return group === null ? 'none' : `is:${group}`
}

/** The values behind a key, one for each field. */
export function valuesOfKey(key: string): readonly (string | null)[] {
  if (key.startsWith('[')) return JSON.parse(key) as (string | null)[]
  return [key.startsWith('is:') ? key.slice(3) : null]
}

/** A group as a reader sees it. `nameOf`: the name of a value of the field at this place. */
export function groupLabel(key: string, nameOf = (value: string, _at: number) => value): string {
  return valuesOfKey(key)
    .map((value, at) => (value === null ? '(none)' : nameOf(value, at)))
    .join(' · ')
}

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

export function toColumns({ start_time, end_time, bucket, points, groups }: SeriesAnswer): SeriesColumns {
  const times = bucketStarts(Date.parse(start_time), Date.parse(end_time), bucket)
  const byGroup = Map.groupBy(points, groupKey)
  const columns = groups.map((total): SeriesGroup => {
    const key = groupKey(total)
    const byTime = new Map(byGroup.get(key)?.map((point) => [Date.parse(point.at), point]))
    return { key, total, points: times.map((time) => byTime.get(time) ?? null) }
  })
  return {
    times,
    bucketMs: bucketMsOf(bucket),
    groups: columns.filter(({ key }) => key !== OTHER_GROUPS),
    other: columns.find(({ key }) => key === OTHER_GROUPS) ?? null,
  }
}

/** Rows in each bucket, over all groups. */
export function volumeOf({ times, groups, other }: SeriesColumns): number[] {
  const columns = [...groups, ...(other === null ? [] : [other])]
  return times.map((_, index) => sumOf(columns.map(({ points }) => points[index]?.count ?? 0)))
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

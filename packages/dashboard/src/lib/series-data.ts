/** What a point of any series may hold: those of metrics and of traces, as the API answers them. */
export interface SeriesPoint {
  readonly at: string
  readonly group: string | null
  readonly count: number
  readonly pass_rate?: number
  readonly error_rate?: number
  readonly sum?: number
  readonly avg?: number
  readonly min?: number
  readonly max?: number
  readonly p50?: number
  readonly p95?: number
  readonly p99?: number
  readonly counts?: Readonly<Record<string, number>>
}

export interface SeriesAnswer {
  readonly start_time: string
  readonly end_time: string
  readonly bucket: string
  readonly points: readonly SeriesPoint[]
}

export interface SeriesGroup {
  readonly group: string | null
  /** Rows in the whole span. */
  readonly count: number
  /** By bucket; null where there is nothing. */
  readonly points: readonly (SeriesPoint | null)[]
}

/** A series by its buckets, with those that the API leaves out because nothing is in them. */
export interface SeriesColumns {
  /** When each bucket begins: milliseconds since 1970. */
  readonly times: readonly number[]
  readonly bucketMs: number
  /** Those with the most rows first. */
  readonly groups: readonly SeriesGroup[]
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const
/** Buckets of weeks begin on Mondays; 1970 began on a Thursday. */
const FIRST_MONDAY = 4 * UNIT_MS.d

/** Milliseconds of `15m`; NaN of what is no bucket. */
export function bucketMsOf(bucket: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhdw])$/.exec(bucket) ?? []
  return digits === undefined || unit === undefined ? NaN : Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

/** When the bucket begins that a time lies in, as the service aligns them. */
export function bucketStart(time: number, bucket: string): number {
  const ms = bucketMsOf(bucket)
  const origin = bucket.endsWith('w') ? FIRST_MONDAY : 0
  return Math.floor((time - origin) / ms) * ms + origin
}

export function toColumns({ start_time, end_time, bucket, points }: SeriesAnswer): SeriesColumns {
  const bucketMs = bucketMsOf(bucket)
  const first = bucketStart(Date.parse(start_time), bucket)
  const count = Math.max(1, Math.ceil((Date.parse(end_time) - first) / bucketMs))
  const times = Array.from({ length: count }, (_, index) => first + index * bucketMs)
  const groups = new Map<string | null, { count: number; points: (SeriesPoint | null)[] }>()
  for (const point of points) {
    let found = groups.get(point.group)
    if (found === undefined) groups.set(point.group, (found = { count: 0, points: times.map(() => null) }))
    found.count += point.count
    const index = Math.round((Date.parse(point.at) - first) / bucketMs)
    if (index >= 0 && index < count) found.points[index] = point
  }
  const held = [...groups].map(([group, { count: rows, points: byBucket }]) => ({
    group,
    count: rows,
    points: byBucket,
  }))
  return { times, bucketMs, groups: held.toSorted((a, b) => b.count - a.count) }
}

/** Rows in each bucket, of all groups together. */
export function volumeOf({ times, groups }: SeriesColumns): number[] {
  return times.map((_, index) => groups.reduce((sum, { points }) => sum + (points[index]?.count ?? 0), 0))
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SIZES = { all: null, '1h': HOUR_MS, '6h': 6 * HOUR_MS, '1d': DAY_MS, '2d': 2 * DAY_MS, '1w': 7 * DAY_MS } as const
/** 1970-01-05. */
const FIRST_MONDAY_MS = 4 * DAY_MS

type BucketText = keyof typeof SIZES
export const BUCKETS = Object.keys(SIZES) as BucketText[]

export interface Buckets {
  readonly start: number
  readonly end: number
  readonly sizeMs: number
  /** A start of a bucket, by the clocks of the zone. */
  readonly origin: number
  /** Days begin at its midnights; null: at those of UTC. */
  readonly zone: string | null
}

/** Buckets of hours are those of UTC in every zone. */
export function plainBuckets(text: BucketText, zone: string | null, start: number, end: number): Buckets {
  const sizeMs = SIZES[text]
  if (sizeMs === null) return { start, end, sizeMs: end - start, origin: start, zone: null }
  return { start, end, sizeMs, origin: text === '1w' ? FIRST_MONDAY_MS : 0, zone: sizeMs < DAY_MS ? null : zone }
}

/** How much earlier, by the clocks of the zone, the time before is: whole buckets. */
export function shiftMs({ start, end, sizeMs, zone }: Buckets): number {
  return Math.ceil((localOf(zone, end) - localOf(zone, start)) / sizeMs) * sizeMs
}

/** The time before. */
export function spanBefore(buckets: Buckets): { readonly start: number; readonly end: number } {
  const { start, end, zone } = buckets
  const earlier = (time: number) => timeOf(zone, localOf(zone, time) - shiftMs(buckets))
  return { start: earlier(start), end: earlier(end) }
}

/** The number of the bucket of a time, or of the one that is later by `shift`. */
export function bucketOf({ sizeMs, origin, zone }: Buckets, time: number, shift = 0): number {
  return Math.floor((localOf(zone, time) + shift - origin) / sizeMs)
}

/** The start of a bucket, or of the one that is earlier by `shift`. */
export function bucketStart({ sizeMs, origin, zone }: Buckets, bucket: number, shift = 0): number {
  return timeOf(zone, origin + bucket * sizeMs - shift)
}

/** What the clocks of a zone show at a time, as if it were UTC. */
function localOf(zone: string | null, time: number): number {
  if (zone === null) return time
  const parts = { dateStyle: 'short', timeStyle: 'medium', timeZone: zone } as const
  const shown = new Intl.DateTimeFormat('sv-SE', parts).format(time)
  return Date.parse(`${shown.replace(' ', 'T')}Z`) + (time % 1000)
}

/** When they show that. Not for an hour that they show twice or never. */
export function timeOf(zone: string | null, local: number): number {
  const guess = local - (localOf(zone, local) - local)
  return local - (localOf(zone, guess) - guess)
}

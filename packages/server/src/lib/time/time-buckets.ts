import { SERIES_BUCKETS_CHOSEN, SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { invalid } from '../validation/validation-failed.ts'
import { type ZoneOffset, zoneOffsets } from './zone-offsets.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS
const UNITS_MS = { s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS, w: WEEK_MS } as const
type Unit = keyof typeof UNITS_MS

/** 1970-01-05, a Monday: buckets of weeks begin on Mondays. */
const FIRST_MONDAY_MS = 4 * DAY_MS
const CHOICES = ['1h', '2h', '3h', '6h', '12h', '1d', '2d', '1w', '2w', '4w'] as const
const UTC: readonly ZoneOffset[] = [{ from: -Infinity, aheadMs: 0 }]
/** About a century; a longer bucket is a mistake. */
const LONGEST_BUCKET_MS = 5200 * WEEK_MS

/** One bucket that is exactly the span. */
export const WHOLE_SPAN = 'all'

/** Buckets of equal length, one of which begins at `originMs`: the same for every span. */
export interface TimeBuckets {
  /** As requested or chosen: `1m`, `12h`, `all`. */
  readonly text: string
  readonly sizeMs: number
  /** Milliseconds since 1970 UTC; with `offsets`, by the clocks of the zone. */
  readonly originMs: number
  /** Buckets of days of a zone: a day may have 23 or 25 hours. Without it, days are UTC days. */
  readonly offsets?: readonly ZoneOffset[]
}

/** Milliseconds since 1970 UTC; start inclusive, end exclusive. */
export interface TimeSpan {
  readonly startTime: number
  readonly endTime: number
}

export interface SpanRequest {
  readonly startTime: number | null
  readonly endTime: number | null
  readonly bucket: string | null
  /** An IANA zone. */
  readonly zone?: string | null
}

/**
 * The span and the buckets of a requested chart. The default end is now, including the current millisecond; the default
 * start is 24 h before the end; the default bucket is an hour, or longer if a span of more than a day would have more
 * than 200 buckets. Throws DomainError `validation_failed`.
 */
export function toBucketedSpan(request: SpanRequest, now: number): { span: TimeSpan; buckets: TimeBuckets } {
  const endTime = request.endTime ?? now + 1
  const startTime = request.startTime ?? endTime - DAY_MS
  if (startTime >= endTime) {
    const pointer = request.startTime === null ? '?end_time' : '?start_time'
    throw invalid({ pointer, code: 'invalid_value', detail: 'The start must be before the end.' })
  }
  const span = { startTime, endTime }
  const buckets = inZone(bucketsFor(request.bucket, span), request.zone ?? null, span)
  const count = bucketOf(buckets, endTime - 1) - bucketOf(buckets, startTime) + 1
  if (count > SERIES_POINTS_MAX) {
    const detail = `That is ${count} buckets, but at most ${SERIES_POINTS_MAX} are allowed. Use longer buckets or a shorter time range.`
    throw invalid({ pointer: '?bucket', code: 'too_many', detail })
  }
  return { span, buckets }
}

/** The number of the bucket that contains this time; the bucket at the origin is 0. */
export function bucketOf(buckets: TimeBuckets, timeMs: number): number {
  return Math.floor((toLocal(buckets, timeMs) - buckets.originMs) / buckets.sizeMs)
}

/** By the clocks of the zone. */
function toLocal({ offsets = UTC }: TimeBuckets, timeMs: number): number {
  return timeMs + (offsets.findLast(({ from }) => from <= timeMs) as ZoneOffset).aheadMs
}

/** The start of a bucket, milliseconds since 1970 UTC. */
export function bucketStart(buckets: TimeBuckets, bucket: number): number {
  return fromLocal(buckets, buckets.originMs + bucket * buckets.sizeMs)
}

/**
 * The time before a span: as long, and a whole number of buckets earlier by the clocks of the zone. Its buckets have
 * the numbers of those that they are compared with.
 */
export function spanBefore({ startTime, endTime }: TimeSpan, buckets: TimeBuckets) {
  const [start, end] = [toLocal(buckets, startTime), toLocal(buckets, endTime)]
  const shiftMs = Math.ceil((end - start) / buckets.sizeMs) * buckets.sizeMs
  const span = { startTime: fromLocal(buckets, start - shiftMs), endTime: fromLocal(buckets, end - shiftMs) }
  return { span, buckets: { ...buckets, originMs: buckets.originMs - shiftMs } }
}

function fromLocal({ offsets = UTC }: TimeBuckets, local: number): number {
  // A midnight that the clocks skip is the moment at which they do.
  const starts = offsets.map(({ from, aheadMs }) => Math.max(from, local - aheadMs))
  return starts.find((start, at) => start < (offsets[at + 1]?.from ?? Infinity)) as number
}

/** Days and weeks of a zone. The origin is a bucket earlier, so that the number of no bucket is negative. */
function inZone(buckets: TimeBuckets, zone: string | null, { startTime, endTime }: TimeSpan): TimeBuckets {
  if (zone === null) return buckets
  const { text, sizeMs, originMs } = buckets
  // The time before has them too.
  const first = startTime - (endTime - startTime) - 2 * sizeMs
  const offsets = zoneOffsets(zone, first - DAY_MS, endTime + sizeMs + DAY_MS)
  if (offsets === null) {
    const detail = 'There is no such time zone. Use an IANA name, like Europe/Berlin.'
    throw invalid({ pointer: '?tz', code: 'invalid_value', detail })
  }
  const isUtc = offsets.every(({ aheadMs }) => aheadMs === 0)
  return isUtc || !/[dw]$/.test(text) ? buckets : { text, sizeMs, originMs: originMs - sizeMs, offsets }
}

function bucketsFor(text: string | null, { startTime, endTime }: TimeSpan): TimeBuckets {
  if (text === null) return chooseBuckets(endTime - startTime)
  return text === WHOLE_SPAN ? { text, sizeMs: endTime - startTime, originMs: startTime } : parseBuckets(text)
}

function chooseBuckets(lengthMs: number): TimeBuckets {
  if (lengthMs <= DAY_MS) return parseBuckets('1h')
  for (const text of CHOICES) {
    const buckets = parseBuckets(text)
    if (lengthMs / buckets.sizeMs <= SERIES_BUCKETS_CHOSEN) return buckets
  }
  return parseBuckets(`${Math.ceil(lengthMs / SERIES_BUCKETS_CHOSEN / WEEK_MS)}w`)
}

function parseBuckets(text: string): TimeBuckets {
  const [, digits, unit] = /^([1-9]\d{0,8})([smhdw])$/.exec(text) ?? []
  if (digits === undefined || unit === undefined) {
    const detail = 'It must be all, or a whole number and one of the units s, m, h, d and w, like 1m, 6h or 1d.'
    throw invalid({ pointer: '?bucket', code: 'invalid_format', detail })
  }
  const sizeMs = Number(digits) * UNITS_MS[unit as Unit]
  if (sizeMs > LONGEST_BUCKET_MS) {
    throw invalid({ pointer: '?bucket', code: 'out_of_range', detail: 'It must not be longer than 5200w.' })
  }
  return { text, sizeMs, originMs: unit === 'w' ? FIRST_MONDAY_MS : 0 }
}

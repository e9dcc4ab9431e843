import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../../lib/time/time-buckets.ts'
import { isOfMinutes } from './bucketed-rows.ts'
import { MINUTE_MS } from '../rows/stored-time.ts'

/** From this number of buckets on, two sessions of the engine read at once. */
const HALVED_FROM = 120
/** Maximum number of spans in one query, for scattered buckets that got late events. */
const MOST_SPANS = 12

/**
 * Parts of one or more spans, in order, that contain all buckets which are not known. No two parts share a bucket.
 *
 * - Few buckets are one part, with a span for each gap. So are many buckets if even more known ones lie between them.
 * - Otherwise there are two halves, since each session of the engine uses one core. A first or last bucket that is not
 *   made of whole minutes is a part of its own, so that the others are read by the column `minute` alone.
 */
export function partsToRead(
  span: TimeSpan,
  buckets: TimeBuckets,
  isKnown: (bucket: number) => boolean,
): readonly (readonly TimeSpan[])[] {
  const unknown = withoutSmallGaps(rangesOf(span, buckets, (bucket) => !isKnown(bucket)))
  const [first, last] = [unknown[0]?.first, unknown.at(-1)?.last]
  if (first === undefined || last === undefined) return []
  const count = unknown.reduce((sum, range) => sum + range.last - range.first + 1, 0)
  const all = last - first + 1
  return count < HALVED_FROM || all > 2 * count
    ? [unknown.map((range) => within(span, buckets, range))]
    : halves(within(span, buckets, { first, last }), buckets).map((part) => [part])
}

/** Buckets by their numbers, both inclusive. */
export interface Range {
  readonly first: number
  readonly last: number
}

function rangesOf(span: TimeSpan, buckets: TimeBuckets, isIn: (bucket: number) => boolean): readonly Range[] {
  const ranges: Range[] = []
  let first: number | null = null
  const last = bucketOf(buckets, span.endTime - 1)
  for (let bucket = bucketOf(buckets, span.startTime); bucket <= last; bucket++) {
    if (isIn(bucket)) {
      first ??= bucket
    } else if (first !== null) {
      ranges.push({ first, last: bucket - 1 })
      first = null
    }
  }
  if (first !== null) ranges.push({ first, last })
  return ranges
}

/** At most MOST_SPANS ranges: ranges with the smallest gaps are joined. */
export function withoutSmallGaps(ranges: readonly Range[]): readonly Range[] {
  const gaps = ranges
    .slice(1)
    .map(({ first }, index) => ({ at: index + 1, length: first - (ranges[index]?.last ?? 0) }))
  const cuts = gaps
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_SPANS - 1)
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  return [0, ...cuts].flatMap((from, index) => {
    const [first, last] = [ranges[from], ranges[(cuts[index] ?? ranges.length) - 1]]
    return first === undefined || last === undefined ? [] : [{ first: first.first, last: last.last }]
  })
}

function within({ startTime, endTime }: TimeSpan, buckets: TimeBuckets, { first, last }: Range): TimeSpan {
  return {
    startTime: Math.max(startTime, bucketStart(buckets, first)),
    endTime: Math.min(endTime, bucketStart(buckets, last + 1)),
  }
}

function halves({ startTime, endTime }: TimeSpan, buckets: TimeBuckets): readonly TimeSpan[] {
  const [first, last] = [bucketOf(buckets, startTime), bucketOf(buckets, endTime - 1)]
  const cuts = [bucketStart(buckets, Math.ceil((first + last) / 2))]
  if (isOfMinutes(buckets)) {
    if (startTime % MINUTE_MS !== 0) cuts.unshift(bucketStart(buckets, first + 1))
    if (endTime % MINUTE_MS !== 0) cuts.push(bucketStart(buckets, last))
  }
  return [startTime, ...cuts].map((start, at) => ({ startTime: start, endTime: cuts[at] ?? endTime }))
}

import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../lib/time-buckets.ts'
import { isOfMinutes } from './bucketed-rows.ts'
import { MINUTE_MS } from './metric-points-table.ts'

/** Buckets from which on a span is read by two sessions of the engine at once. */
const HALVED_FROM = 120

/**
 * Spans that hold all buckets which are not known, in order, none with a bucket of another: one, or two where that leaves out as much as is read, or two halves since each session of the
 * engine works on one core. Of halves the first and the last bucket are apart where they do not begin or end with a minute, so that the others are read by their minutes alone.
 */
export function partsToRead(
  span: TimeSpan,
  buckets: TimeBuckets,
  isKnown: (bucket: number) => boolean,
): readonly TimeSpan[] {
  const unknown = rangesOf(span, buckets, (bucket) => !isKnown(bucket))
  const [first, last] = [unknown[0]?.first, unknown.at(-1)?.last]
  if (first === undefined || last === undefined) return []
  const gap = largestGap(unknown)
  if (2 * (gap.last - gap.first + 1) > last - first) {
    return [within(span, buckets, { first, last: gap.first - 1 }), within(span, buckets, { first: gap.last + 1, last })]
  }
  const whole = within(span, buckets, { first, last })
  return last - first + 1 < HALVED_FROM ? [whole] : halves(whole, buckets)
}

/** Buckets by their numbers, both ends included. */
interface Range {
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

/** Between ranges; an empty one when there is none. */
function largestGap(ranges: readonly Range[]): Range {
  let largest: Range = { first: 0, last: -1 }
  ranges.forEach(({ first }, index) => {
    const before = ranges[index - 1]
    if (before === undefined) return
    const gap = { first: before.last + 1, last: first - 1 }
    if (gap.last - gap.first > largest.last - largest.first) largest = gap
  })
  return largest
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

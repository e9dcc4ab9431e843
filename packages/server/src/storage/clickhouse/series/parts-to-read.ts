import { bucketOf, bucketStart, type TimeBuckets, type TimeSpan } from '../../../lib/time/time-buckets.ts'
import { isOfMinutes } from './bucketed-rows.ts'
import { MINUTE_MS } from '../rows/stored-time.ts'

/** Buckets from which on they are read by two sessions of the engine at once. */
const HALVED_FROM = 120
/** Spans of one question: some buckets got late events, each of them elsewhere. */
const MOST_SPANS = 12

/**
 * Parts, each of one or more spans, that hold all buckets which are not known, in order, none with a bucket of another.
 * Few buckets are one part, in as many spans as they lie in; so are more where what is known between them is more
 * still. Else it is two halves, since each session of the engine works on one core; their first and last bucket are
 * apart where they do not begin or end with a minute, so that the others are read by their minutes alone.
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

/** At most MOST_SPANS of them: those with the least between them are one. */
function withoutSmallGaps(ranges: readonly Range[]): readonly Range[] {
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

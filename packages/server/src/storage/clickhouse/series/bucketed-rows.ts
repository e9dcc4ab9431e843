import { SERIES_POINTS_MAX } from '@spoor/contract/limits'
import { bucketStart, type TimeBuckets } from '../../../lib/time/time-buckets.ts'
import type { DomainError } from '../../../lib/domain-error.ts'
import { invalid } from '../../../lib/validation/validation-failed.ts'
import { type AggregateRows, fromRows, settingsOf } from './aggregate-rows.ts'
import {
  type ChosenGroups,
  compareGroups,
  groupAt,
  placeCondition,
  placesOfRow,
  type PointGroup,
} from './chosen-groups.ts'
import { integer, integers, texts } from '../engine/literal.ts'
import { MINUTE_MS } from '../rows/stored-time.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * Counts of enum options instead of expressions. The result is the number of rows with any of these options, then their
 * places counted from 1, then the count of each. A single numeric key that combines bucket and option takes half the
 * time of two keys, and a quarter of that of a map of counts for each bucket.
 */
export interface OptionCounts {
  readonly countsOf: readonly string[]
}

type Expressions = readonly string[] | OptionCounts

/** Greater than the number of options; a power of two. */
const OPTIONS_SPAN = 1024

export interface BucketRow extends PointGroup {
  /** Start of the bucket, milliseconds. */
  readonly at: number
  /** The value of each expression, in their order. */
  readonly values: readonly unknown[]
}

/**
 * The value of each expression in each bucket and group that has rows, ordered by time, then by label. Throws
 * DomainError `validation_failed` when there are too many.
 */
export async function bucketedRows(
  engine: TelemetryEngine,
  rows: AggregateRows,
  buckets: TimeBuckets,
  groups: ChosenGroups | null,
  expressions: Expressions,
): Promise<BucketRow[]> {
  if (groups?.stored.length === 0) return []
  const found = await engine.select(bucketedQuery(rows, buckets, groups, expressions))
  if (found.length > SERIES_POINTS_MAX) throw tooManyPoints()
  const points = found.map(([bucket, place, ...values]) =>
    Object.assign(groupAt(groups, place as number), { at: bucketStart(buckets, bucket as number), values }),
  )
  return points.sort((a, b) => a.at - b.at || compareGroups(a, b))
}

function bucketedQuery(
  rows: AggregateRows,
  buckets: TimeBuckets,
  groups: ChosenGroups | null,
  expressions: Expressions,
): string {
  // Counting options minute by minute takes half the time of one hash table for all. Numbers gain nothing from it.
  const inOrder = 'countsOf' in expressions && rows.byMinute && groups === null && isOfMinutes(buckets)
  const source =
    groups === null
      ? fromRows(rows, inOrder)
      : `(SELECT *, ${placesOfRow(groups)} AS g FROM ${fromRows(rows)})${placeCondition(groups, 'g')}`
  const [group, keys] = groups === null ? ['0', 'b'] : ['g', 'b, g']
  const bucket = bucketExpression(rows, buckets)
  const ordered = inOrder ? ['optimize_aggregation_in_order = 1'] : []
  const limit = `LIMIT ${integer(SERIES_POINTS_MAX + 1)}`
  if ('countsOf' in expressions) {
    const { countsOf } = expressions
    const places = integers(countsOf.map((_, at) => at + 1))
    const key = `${bucket} * ${OPTIONS_SPAN} + transform(option, [${texts(countsOf)}], [${places}], 0) AS k`
    // Equal options of a minute are adjacent: counting runs first reduces two million rows to some thousand.
    const [from, count] = inOrder
      ? [`(SELECT minute, option, count() AS n FROM ${source} GROUP BY minute, option)`, 'sum(n)']
      : [source, 'count()']
    const counted = `SELECT ${key}, ${group} AS g, ${count} AS n FROM ${from} GROUP BY ${groups === null ? 'k' : 'k, g'}`
    return (
      `SELECT intDiv(k, ${OPTIONS_SPAN}) AS b, g, sum(n), groupArray(k % ${OPTIONS_SPAN}), groupArray(n) FROM (${counted}) ` +
      `WHERE k % ${OPTIONS_SPAN} > 0 GROUP BY b, g ${limit}${settingsOf(rows, ordered)}`
    )
  }
  const columns = [`${bucket} AS b`, group, ...expressions].join(', ')
  return `SELECT ${columns} FROM ${source} GROUP BY ${keys} ${limit}${settingsOf(rows)}`
}

/**
 * The number of a row's bucket (see `bucketOf`). Rows are never older than 1970. Dividing by a number of the same type
 * is three times as fast in the engine.
 */
function bucketExpression(rows: Pick<AggregateRows, 'time' | 'byMinute'>, buckets: TimeBuckets): string {
  if (!rows.byMinute || !isOfMinutes(buckets)) return timeBucketExpression(rows.time, buckets)
  const since = sinceOrigin('minute', MINUTE_MS, buckets)
  return buckets.sizeMs === MINUTE_MS ? since : `intDiv(${since}, toUInt32(${integer(buckets.sizeMs / MINUTE_MS)}))`
}

/** The same for a DateTime64(3). */
export function timeBucketExpression(time: string, buckets: Omit<TimeBuckets, 'text'>): string {
  const since = sinceOrigin(`toUnixTimestamp64Milli(${time})`, 1, buckets)
  return `intDiv(${since}, toInt64(${integer(buckets.sizeMs)}))`
}

/** The time since the origin, by the clocks of the buckets' zone. */
function sinceOrigin(time: string, unitMs: number, { originMs, offsets = [] }: Omit<TimeBuckets, 'text'>): string {
  const cases = offsets.map(({ aheadMs }, at) => {
    const until = offsets[at + 1]?.from
    return `${until === undefined ? '' : `${time} < ${integer(until / unitMs)}, `}${integer(aheadMs / unitMs)}`
  })
  const ahead = cases.length === 0 ? '' : ` + ${cases.length === 1 ? cases[0] : `multiIf(${cases.join(', ')})`}`
  return `${time}${ahead}${originMs === 0 ? '' : ` - ${integer(originMs / unitMs)}`}`
}

/** Whether each bucket consists of whole minutes. */
export function isOfMinutes({ sizeMs, originMs }: TimeBuckets): boolean {
  return sizeMs % MINUTE_MS === 0 && originMs % MINUTE_MS === 0
}

export function tooManyPoints(): DomainError {
  const detail = `The result would have more than ${SERIES_POINTS_MAX} points: use longer buckets, a shorter time or no groups.`
  return invalid({ pointer: '?bucket', code: 'too_many', detail })
}

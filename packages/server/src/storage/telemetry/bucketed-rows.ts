import { bucketStart, type TimeBuckets } from '../../lib/time-buckets.ts'
import { DomainError } from '../../lib/domain-error.ts'
import { type AggregateRows, FINAL_SETTINGS, fromRows } from './aggregate-rows.ts'
import { integer, integers, texts } from './literal.ts'
import { MINUTE_MS } from './metric-points-table.ts'
import { type GroupBy, type RowGroup, rowGroup } from './row-groups.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

/** Points of one answer. */
export const MOST_POINTS = 10_000
/** Groups of one answer: those with the most rows. */
export const MOST_GROUPS = 100

/** The groups of an answer, by how they are stored. Null when nothing is grouped. */
export interface ChosenGroups {
  readonly group: RowGroup
  readonly stored: readonly string[]
  readonly leftOut: number
}

/**
 * In place of expressions: how many rows there are with any of these options, then which of them, by their place counted from 1, then how many of each. A key of one number that is bucket
 * and option takes half the time of both as they are, and a quarter of that of a map of counts in each bucket.
 */
export interface OptionCounts {
  readonly countsOf: readonly string[]
}

type Expressions = readonly string[] | OptionCounts

/** More than there are options, and a power of two. */
const OPTIONS_SPAN = 1024

/** One bucket of one group. */
export interface BucketRow {
  /** When the bucket begins, milliseconds. */
  readonly at: number
  readonly group: string | null
  /** What each expression came to, in their order. */
  readonly values: readonly unknown[]
}

/** The largest groups by their rows; of those of the same size the first by how they are stored. */
export async function chooseGroups(
  engine: TelemetryEngine,
  rows: AggregateRows,
  groupBy: GroupBy | null,
): Promise<ChosenGroups | null> {
  if (groupBy === null) return null
  const group = rowGroup(groupBy)
  const found = await engine.select(
    `SELECT g, count() AS n, count() OVER () FROM (SELECT ${group.expression} AS g FROM ${fromRows(rows)}) ` +
      `GROUP BY g ORDER BY n DESC, g LIMIT ${integer(MOST_GROUPS)}${settingsOf(rows)}`,
  )
  const all = (found[0]?.[2] as number | undefined) ?? 0
  return { group, stored: found.map(([stored]) => stored as string), leftOut: all - found.length }
}

/** What each expression comes to in each bucket and group that has rows, by time, then by label. Throws DomainError `validation_failed` when they are too many. */
export async function bucketedRows(
  engine: TelemetryEngine,
  rows: AggregateRows,
  buckets: TimeBuckets,
  groups: ChosenGroups | null,
  expressions: Expressions,
): Promise<BucketRow[]> {
  if (groups?.stored.length === 0) return []
  const found = await engine.select(bucketedQuery(rows, buckets, groups, expressions))
  if (found.length > MOST_POINTS) throw tooManyPoints()
  const points = found.map(([bucket, stored, ...values]) => ({
    at: bucketStart(buckets, bucket as number),
    group: groups === null ? null : groups.group.toLabel(stored as string),
    values,
  }))
  return points.sort((a, b) => a.at - b.at || compareLabels(a.group, b.group))
}

function bucketedQuery(
  rows: AggregateRows,
  buckets: TimeBuckets,
  groups: ChosenGroups | null,
  expressions: Expressions,
): string {
  // Options are counted minute by minute, which takes half of the time of a table of them all; numbers of a minute are not.
  const inOrder = 'countsOf' in expressions && rows.byMinute && groups === null && isOfMinutes(buckets)
  const source =
    groups === null
      ? fromRows(rows, inOrder)
      : `(SELECT *, ${groups.group.expression} AS g FROM ${fromRows(rows)}) WHERE g IN (${texts(groups.stored)})`
  const [group, keys] = groups === null ? [`''`, 'b'] : ['g', 'b, g']
  const bucket = bucketExpression(rows, buckets)
  const ordered = inOrder ? ['optimize_aggregation_in_order = 1'] : []
  const limit = `LIMIT ${integer(MOST_POINTS + 1)}`
  if ('countsOf' in expressions) {
    const { countsOf } = expressions
    const places = integers(countsOf.map((_, at) => at + 1))
    const key = `${bucket} * ${OPTIONS_SPAN} + transform(option, [${texts(countsOf)}], [${places}], 0) AS k`
    // Equal options of a minute lie side by side: counted in runs first, two million rows are some thousand.
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

/** The number of a row's bucket (see `bucketOf`). Rows are never from before 1970. Divided by a number of the same type, which the engine does three times as fast. */
function bucketExpression(rows: Pick<AggregateRows, 'time' | 'byMinute'>, buckets: TimeBuckets): string {
  if (!rows.byMinute || !isOfMinutes(buckets)) return timeBucketExpression(rows.time, buckets)
  const since = buckets.originMs === 0 ? 'minute' : `minute - ${integer(buckets.originMs / MINUTE_MS)}`
  return buckets.sizeMs === MINUTE_MS ? since : `intDiv(${since}, toUInt32(${integer(buckets.sizeMs / MINUTE_MS)}))`
}

/** The same of a DateTime64(3). */
export function timeBucketExpression(time: string, { sizeMs, originMs }: TimeBuckets): string {
  const since = originMs === 0 ? '' : ` - ${integer(originMs)}`
  return `intDiv(toUnixTimestamp64Milli(${time})${since}, toInt64(${integer(sizeMs)}))`
}

/** Whether each bucket is a number of whole minutes. */
export function isOfMinutes({ sizeMs, originMs }: TimeBuckets): boolean {
  return sizeMs % MINUTE_MS === 0 && originMs % MINUTE_MS === 0
}

/** What takes the engine time and finds nothing here: projections, which granules had no such rows before, and conditions column by column. */
const POINT_SETTINGS =
  'optimize_use_projections = 0, use_query_condition_cache = 0, enable_multiple_prewhere_read_steps = 0'

/** Behind every statement over such rows. The engine must not draw the scale out of a sum (numeric-aggregates.ts). */
export function settingsOf({ table, byMinute }: AggregateRows, settings: readonly string[] = []): string {
  const all = ['optimize_arithmetic_operations_in_aggregate_functions = 0', ...settings]
  if (table.endsWith(' FINAL')) all.push(FINAL_SETTINGS)
  if (byMinute) all.push(POINT_SETTINGS)
  return ` SETTINGS ${all.join(', ')}`
}

function compareLabels(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  return a < b ? -1 : 1
}

export function tooManyPoints(): DomainError {
  const detail = `More than ${MOST_POINTS} points would come of it: ask for longer buckets, for less time or without groups.`
  return new DomainError('validation_failed', detail, {
    errors: [{ pointer: '?bucket', code: 'too_many', detail }],
  })
}

import { MONITOR_GROUPS_MAX } from '@spoor/contract/limits'
import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import {
  type GroupResult,
  type MeasureQuery,
  type MeasureResult,
  type MeasureTimes,
  ofGroups,
} from '../../../ports/monitors/monitor-measures.ts'
import { type AggregateRows, settingsOf } from '../series/aggregate-rows.ts'
import { joinSums, type JoinableAggregation, SUM_NAMES, sumExpression, type Sums, toResult } from './aggregate-sums.ts'
import { integer, text } from '../engine/literal.ts'
import { measuredGroups, measuredNumber, onlyIf } from './measure-expressions.ts'
import { percentilesOver } from '../series/percentiles-over.ts'
import type { RowField } from '../series/series-groups.ts'
import { segmentsQuery } from '../series/segments-query.ts'
import { type Segment, slidingWindows, type SlidingTimes } from './sliding-windows.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/**
 * One measure at many times in one scan. The boundaries of all windows divide time into segments, at most twice as many
 * as windows. The engine aggregates each segment, and each window combines its segments.
 */
export function measureOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuery,
  times: SlidingTimes,
): Promise<readonly MeasureResult[]> {
  const { aggregation } = question
  return isPercentile(aggregation)
    ? percentilesOver(engine, rows, question, times, PERCENTILES[aggregation].fraction)
    : aggregatesOver(engine, rows, { ...question, aggregation }, times)
}

/** The same for each of the groups with the most rows, one scan after the other. */
export async function measureGroupsOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuery,
  group: RowField,
  times: MeasureTimes,
): Promise<readonly MeasureResult[]> {
  const { expression, from, toLabel } = measuredGroups(question, rows, group)
  const table = `(SELECT *, toString(${expression}) AS of_group FROM ${from})`
  const { conditions } = measuredNumber(question, rows)
  const found = await engine.select(
    `SELECT of_group, ${onlyIf('count()', conditions)} AS n FROM ${table} GROUP BY of_group HAVING n > 0 AND of_group != '' ` +
      `ORDER BY n DESC, of_group LIMIT ${integer(times.mostGroups ?? MONITOR_GROUPS_MAX)}${settingsOf(rows)}`,
  )
  const answers = Array.from({ length: times.count }, (): GroupResult[] => [])
  for (const [stored] of found) {
    const label = toLabel(stored as string) as string
    const ofGroup = [`of_group = ${text(stored as string)}`]
    const grouped = { ...rows, table, hint: null, key: [], conditions: ofGroup }
    const over = await measureOver(engine, grouped, question, times)
    over.forEach((answer, at) => answers[at]?.push({ ...answer, group: label }))
  }
  return answers.map(ofGroups)
}

async function aggregatesOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuery & { readonly aggregation: JoinableAggregation },
  times: SlidingTimes,
): Promise<readonly MeasureResult[]> {
  const { aggregation } = question
  const { number } = measuredNumber(question, rows)
  const aggregates = SUM_NAMES.map((name) => sumExpression(name, question, number))
  const found = await engine.select(segmentsQuery(rows, question, times, aggregates))
  const names = ['first', 'last', ...SUM_NAMES]
  const segments = found.map(
    (row) => Object.fromEntries(names.map((name, at) => [name, row[at]])) as unknown as Segment & Sums,
  )
  return Array.from(slidingWindows(segments, times.count), ({ from, until }) =>
    toResult(aggregation, joinSums(segments, from, until)),
  )
}

import { isPercentile, PERCENTILES } from '@spoor/contract/aggregations'
import type { MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { AggregateRows } from '../series/aggregate-rows.ts'
import { joinSums, type JoinableAggregation, SUM_NAMES, sumExpression, type Sums, toResult } from './aggregate-sums.ts'
import { measuredNumber } from './measure-expressions.ts'
import { percentilesOver } from '../series/percentiles-over.ts'
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

import { isPercentile, type Percentile, PERCENTILES } from '@spoor/contract/aggregations'
import type { Aggregation, MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { AggregateRows } from '../series/aggregate-rows.ts'
import { countedRows, measuredNumber, toAnswer } from './measure-expressions.ts'
import { scaledSum, toAverage, toSum } from '../series/numeric-aggregates.ts'
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

/** Aggregations that can be combined from segments. */
export type JoinableAggregation = Exclude<Aggregation, Percentile>

interface JoinableQuestion extends MeasureQuery {
  readonly aggregation: JoinableAggregation
}

/** The contribution of a time's rows to each aggregation except percentiles. `sum` is scaled. */
export interface Sums {
  readonly samples: number
  readonly met: number
  readonly sum: number
  readonly least: number
  readonly greatest: number
}

async function aggregatesOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: JoinableQuestion,
  times: SlidingTimes,
): Promise<readonly MeasureResult[]> {
  const { aggregation } = question
  const { number } = measuredNumber(question, rows)
  const aggregates = [
    'count()',
    `countIf(${countedRows(question, number)})`,
    scaledSum(number),
    `min(${number})`,
    `max(${number})`,
  ]
  const found = await engine.select(segmentsQuery(rows, question, times, aggregates))
  const segments = found.map((row): Segment & Sums => {
    const [first, last, samples, met, sum, least, greatest] = row as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    return { first, last, samples, met, sum, least, greatest }
  })
  return Array.from(slidingWindows(segments, times.count), ({ from, until }) =>
    toResult(aggregation, joinSums(segments, from, until)),
  )
}

/** Computes every window from scratch: subtracting from a floating-point sum would leave rounding errors. */
export function joinSums(parts: readonly Sums[], from = 0, until = parts.length): Sums {
  let [samples, met, sum, least, greatest] = [0, 0, 0, Infinity, -Infinity]
  for (let at = from; at < until; at++) {
    const part = parts[at] as Sums
    samples += part.samples
    met += part.met
    sum += part.sum
    least = Math.min(least, part.least)
    greatest = Math.max(greatest, part.greatest)
  }
  return { samples, met, sum, least, greatest }
}

export function toResult(aggregation: JoinableAggregation, sums: Sums): MeasureResult {
  const { samples, met, sum, least, greatest } = sums
  switch (aggregation) {
    case 'count':
      return { value: samples, samples }
    case 'min':
      return toAnswer(samples, least)
    case 'max':
      return toAnswer(samples, greatest)
    case 'sum':
      return toAnswer(samples, toSum(sum))
    case 'avg':
      return toAnswer(samples, toAverage(sum, samples, least, greatest))
    case 'pass_rate':
    case 'share':
      return toAnswer(samples, met / samples)
  }
}

import type { Aggregation, MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { AggregateRows } from '../series/aggregate-rows.ts'
import { countedRows, measuredNumber, toAnswer } from './measure-expressions.ts'
import { type Percentile, PERCENTILES, scaledSum, toAverage, toSum } from '../series/numeric-aggregates.ts'
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
    ? percentilesOver(engine, rows, question, times, PERCENTILES[aggregation])
    : aggregatesOver(engine, rows, { ...question, aggregation }, times)
}

/** Aggregations that can be combined from segments. */
interface JoinableQuestion extends MeasureQuery {
  readonly aggregation: Exclude<Aggregation, Percentile>
}

function isPercentile(aggregation: Aggregation): aggregation is Percentile {
  return aggregation in PERCENTILES
}

interface Sums extends Segment {
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
  const { number } = measuredNumber(question)
  const aggregates = [
    'count()',
    `countIf(${countedRows(question, number)})`,
    scaledSum(number),
    `min(${number})`,
    `max(${number})`,
  ]
  const found = await engine.select(segmentsQuery(rows, question, times, aggregates))
  const segments = found.map((row): Sums => {
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
  return Array.from(slidingWindows(segments, times.count), ({ from, until }) => joined(question, segments, from, until))
}

/** Computes every window from scratch: subtracting from a floating-point sum would leave rounding errors. */
function joined(question: JoinableQuestion, segments: readonly Sums[], from: number, until: number): MeasureResult {
  let [samples, met, sum, least, greatest] = [0, 0, 0, Infinity, -Infinity]
  for (let at = from; at < until; at++) {
    const segment = segments[at] as Sums
    samples += segment.samples
    met += segment.met
    sum += segment.sum
    least = Math.min(least, segment.least)
    greatest = Math.max(greatest, segment.greatest)
  }
  switch (question.aggregation) {
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

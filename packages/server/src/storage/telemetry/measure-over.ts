import type { MeasureAnswer, MeasureQuestion } from '../../monitors/monitor-measures.ts'
import { DomainError } from '../../lib/domain-error.ts'
import type { AggregateRows } from './aggregate-rows.ts'
import { settingsOf } from './bucketed-rows.ts'
import { integer } from './literal.ts'
import { countedRows, measuredNumber, toAnswer } from './measure-expressions.ts'
import { type Percentile, PERCENTILES, scaledSum, toAverage, toSum } from './numeric-aggregates.ts'
import { RankedCounts } from './ranked-counts.ts'
import { type Segment, segmentExpressions, slidingWindows, type SlidingTimes } from './sliding-windows.ts'
import type { TelemetryEngine } from './telemetry-engine.ts'

/**
 * A question at many times by one scan. The ends of all windows cut time into segments, at most twice as many as windows; the engine aggregates each segment, and each window is what
 * its segments come to together.
 */
export function measureOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuestion,
  times: SlidingTimes,
): Promise<readonly MeasureAnswer[]> {
  return isPercentile(question.aggregation)
    ? percentilesOver(engine, rows, question, times, PERCENTILES[question.aggregation])
    : aggregatesOver(engine, rows, question, times)
}

function isPercentile(aggregation: string): aggregation is Percentile {
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
  question: MeasureQuestion,
  times: SlidingTimes,
): Promise<readonly MeasureAnswer[]> {
  const { number } = measuredNumber(question)
  const aggregates = [
    'count()',
    `countIf(${countedRows(question, number)})`,
    scaledSum(number),
    `min(${number})`,
    `max(${number})`,
  ]
  const found = await engine.select(segmentsQuery(rows, question, times, aggregates, ''))
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

/** Every window anew: what was added to a sum cannot be taken out of it again without a trace. */
function joined(question: MeasureQuestion, segments: readonly Sums[], from: number, until: number): MeasureAnswer {
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
    default:
      return toAnswer(samples, met / samples)
  }
}

/** Different numbers of all segments that are held at a time. */
const MOST_NUMBERS = 250_000
/**
 * Bits behind the leading one that numbers are told apart by: all, or as few as are needed for so many different ones to be left. With `b` of them a percentile is off by up to
 * 2^-(b + 1) of itself: 0.1 %, 0.8 %, 3.1 %, 12.5 %.
 */
const PRECISIONS = [null, 9, 6, 4, 2] as const

interface Numbers extends Segment {
  /** Indexes of the numbers in it, and how many of each. */
  readonly places: number[]
  readonly counts: number[]
}

async function percentilesOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuestion,
  times: SlidingTimes,
  share: number,
): Promise<readonly MeasureAnswer[]> {
  const { number } = measuredNumber(question)
  const found = await numbersBySegment(engine, (bits) =>
    segmentsQuery(rows, question, times, ['count()'], `, ${rounded(number, bits)}`, MOST_NUMBERS + 1),
  )
  const values = Float64Array.from(new Set(found.map(([, , value]) => value as number))).sort()
  const places = new Map(Array.from(values, (value, place) => [value, place]))
  const segments: Numbers[] = []
  for (const [first, last, value, count] of found as [number, number, number, number][]) {
    let segment = segments.at(-1)
    if (segment?.first !== first || segment.last !== last) {
      segment = { first, last, places: [], counts: [] }
      segments.push(segment)
    }
    segment.places.push(places.get(value) as number)
    segment.counts.push(count)
  }
  const window = new RankedCounts(values)
  const change = ({ places: changed, counts }: Numbers, sign: 1 | -1) =>
    changed.forEach((place, at) => window.add(place, sign * (counts[at] as number)))
  const answers: MeasureAnswer[] = []
  let before = { from: 0, until: 0 }
  for (const now of slidingWindows(segments, times.count)) {
    for (let at = before.until; at < now.until; at++) change(segments[at] as Numbers, 1)
    for (let at = before.from; at < now.from; at++) change(segments[at] as Numbers, -1)
    answers.push(window.size === 0 ? toAnswer(0, 0) : toAnswer(window.size, window.quantile(share)))
    before = now
  }
  return answers
}

async function numbersBySegment(engine: TelemetryEngine, query: (bits: number | null) => string) {
  for (const bits of PRECISIONS) {
    const found = await engine.select(query(bits))
    if (found.length <= MOST_NUMBERS) return found
  }
  throw new DomainError(
    'storage_unavailable',
    'The numbers are too many and too different for percentiles over so many windows.',
  )
}

/** The middle of all numbers that begin with the same bits; zero stays zero. */
function rounded(number: string, bits: number | null): string {
  if (bits === null) return number
  const dropped = 52n - BigInt(bits)
  const mask = ((1n << 64n) - 1n) ^ ((1n << dropped) - 1n)
  const half = 1n << (dropped - 1n)
  const kept = `bitOr(bitAnd(reinterpretAsUInt64(${number}), toUInt64(${mask})), toUInt64(${half}))`
  return `if(${number} = 0, 0., reinterpretAsFloat64(${kept}))`
}

/** Segments in order of time: the first window, the last one, then `keys`, then the aggregates. */
function segmentsQuery(
  rows: AggregateRows,
  question: MeasureQuestion,
  times: SlidingTimes,
  aggregates: readonly string[],
  keys: string,
  limit: number | null = null,
): string {
  const { first, last } = segmentExpressions(rows.time, times)
  const conditions = [...rows.conditions, ...measuredNumber(question).conditions, 'first_window <= last_window']
  const names = keys === '' ? '' : ', v'
  return (
    `SELECT ${first} AS first_window, ${last} AS last_window${keys === '' ? '' : `${keys} AS v`}, ${aggregates.join(', ')} FROM ${rows.table} ` +
    `WHERE ${conditions.join(' AND ')} GROUP BY first_window, last_window${names} ` +
    (limit === null
      ? 'ORDER BY first_window, last_window'
      : `ORDER BY first_window, last_window LIMIT ${integer(limit)}`) +
    settingsOf(rows)
  )
}

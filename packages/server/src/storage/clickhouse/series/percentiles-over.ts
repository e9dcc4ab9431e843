import { DomainError } from '../../../lib/domain-error.ts'
import type { MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { AggregateRows } from './aggregate-rows.ts'
import { measuredNumber, toAnswer } from '../measures/measure-expressions.ts'
import { RankedCounts } from './ranked-counts.ts'
import { valuesBySegmentQuery } from './segments-query.ts'
import { type Segment, slidingWindows, type SlidingTimes } from '../measures/sliding-windows.ts'
import type { TelemetryEngine } from '../engine/telemetry-engine.ts'

/** Maximum number of distinct numbers in all segments held at once. */
const MOST_NUMBERS = 250_000
/**
 * Mantissa bits by which numbers are distinguished: all, or as few as needed for at most MOST_NUMBERS distinct ones.
 * With `b` bits a percentile is off by up to 2^-(b + 1) of itself: 0.1 %, 0.8 %, 3.1 %, 12.5 %.
 */
const PRECISIONS = [null, 9, 6, 4, 2] as const
/** Numbers added to or removed from windows before yielding: some milliseconds. */
const NUMBERS_IN_A_TURN = 20_000

interface Numbers extends Segment {
  /** Distinct numbers. */
  readonly numbers: readonly number[]
  /** Number of rows with each. */
  readonly counts: readonly number[]
}

/** A percentile of each window; `share` is 0.5 for the median. Yields to the event loop, whatever the numbers are. */
export async function percentilesOver(
  engine: TelemetryEngine,
  rows: AggregateRows,
  question: MeasureQuery,
  times: SlidingTimes,
  share: number,
): Promise<readonly MeasureResult[]> {
  const { number } = measuredNumber(question, rows)
  const segments = await numbersBySegment(engine, (bits) =>
    valuesBySegmentQuery(rows, question, times, rounded(number, bits), MOST_NUMBERS + 1),
  )
  const values = differentNumbers(segments)
  const window = new RankedCounts(values)
  let taken = 0
  const change = async ({ numbers, counts }: Numbers, sign: 1 | -1) => {
    for (let at = 0; at < numbers.length; at++) {
      window.add(placeOf(values, numbers[at] as number), sign * (counts[at] as number))
      taken += 1
      if (taken % NUMBERS_IN_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const answers: MeasureResult[] = []
  let before = { from: 0, until: 0 }
  for (const now of slidingWindows(segments, times.count)) {
    for (let at = before.until; at < now.until; at++) await change(segments[at] as Numbers, 1)
    for (let at = before.from; at < now.from; at++) await change(segments[at] as Numbers, -1)
    answers.push(window.size === 0 ? toAnswer(0, 0) : toAnswer(window.size, window.quantile(share)))
    before = now
  }
  return answers
}

async function numbersBySegment(
  engine: TelemetryEngine,
  query: (bits: number | null) => string,
): Promise<readonly Numbers[]> {
  for (const bits of PRECISIONS) {
    const found = (await engine.select(query(bits))) as [number, number, number[], number[]][]
    const segments = found.map(([first, last, numbers, counts]): Numbers => ({ first, last, numbers, counts }))
    if (sizeOf(segments) <= MOST_NUMBERS) return segments
  }
  throw new DomainError(
    'storage_unavailable',
    'There are too many distinct numbers for percentiles over so many windows.',
  )
}

/** The middle of all numbers that share these leading bits; zero stays zero. */
function rounded(number: string, bits: number | null): string {
  if (bits === null) return number
  const dropped = 52n - BigInt(bits)
  const mask = ((1n << 64n) - 1n) ^ ((1n << dropped) - 1n)
  const half = 1n << (dropped - 1n)
  const kept = `bitOr(bitAnd(reinterpretAsUInt64(${number}), toUInt64(${mask})), toUInt64(${half}))`
  return `if(${number} = 0, 0., reinterpretAsFloat64(${kept}))`
}

/** Ascending and distinct. */
function differentNumbers(segments: readonly Numbers[]): Float64Array {
  const all = new Float64Array(sizeOf(segments))
  let end = 0
  for (const { numbers } of segments) {
    all.set(numbers, end)
    end += numbers.length
  }
  return all.sort().filter((number, at) => at === 0 || number !== all[at - 1])
}

function sizeOf(segments: readonly Numbers[]): number {
  return segments.reduce((size, { numbers }) => size + numbers.length, 0)
}

/** The index of a number that is in `ascending`. */
function placeOf(ascending: Float64Array, number: number): number {
  let [low, high] = [0, ascending.length - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] as number) < number) low = middle + 1
    else high = middle
  }
  return low
}

import type { Aggregation, Percentile } from '@spoor/contract/aggregations'
import type { MeasureQuery, MeasureResult } from '../../../ports/monitors/monitor-measures.ts'
import { scaledSum, toAverage, toSum } from '../series/numeric-aggregates.ts'
import { countedRows, onlyIf, toAnswer } from './measure-expressions.ts'

/** Sums of rows, from which every aggregation except percentiles follows. Those of parts can be joined. */
export interface Sums {
  readonly samples: number
  /** How many rows `pass_rate` and `share` count. */
  readonly met: number
  /** Scaled. */
  readonly sum: number
  readonly least: number
  readonly greatest: number
}

export const NO_SUMS: Sums = { samples: 0, met: 0, sum: 0, least: Infinity, greatest: -Infinity }
export const SUM_NAMES = Object.keys(NO_SUMS) as (keyof Sums)[]

/** The aggregate of each over the measured number. */
const AGGREGATES: { readonly [Name in keyof Sums]: (number: string) => string } = {
  samples: () => 'count()',
  met: () => 'count()',
  sum: scaledSum,
  least: (number) => `min(${number})`,
  greatest: (number) => `max(${number})`,
}

export type JoinableAggregation = Exclude<Aggregation, Percentile>

interface JoinableRow {
  /** The sums that it needs besides `samples`. */
  readonly needs: readonly (keyof Sums)[]
  readonly value: (sums: Sums) => number
}

const SHARE: JoinableRow = { needs: ['met'], value: ({ met, samples }) => met / samples }

/** The one table of how the engine computes aggregations. */
const JOINABLE: Readonly<Record<JoinableAggregation, JoinableRow>> = {
  count: { needs: [], value: ({ samples }) => samples },
  min: { needs: ['least'], value: ({ least }) => least },
  max: { needs: ['greatest'], value: ({ greatest }) => greatest },
  sum: { needs: ['sum'], value: ({ sum }) => toSum(sum) },
  avg: {
    needs: ['sum', 'least', 'greatest'],
    value: ({ samples, sum, least, greatest }) => toAverage(sum, samples, least, greatest),
  },
  pass_rate: SHARE,
  share: SHARE,
}

export function sumsFor(aggregation: JoinableAggregation): readonly (keyof Sums)[] {
  return ['samples', ...JOINABLE[aggregation].needs]
}

/** The SQL expression of a sum, of the rows that meet all conditions. */
export function sumExpression(
  name: keyof Sums,
  question: MeasureQuery,
  number: string,
  conditions: readonly string[] = [],
): string {
  const met = name === 'met' ? [countedRows(question, number)] : []
  return onlyIf(AGGREGATES[name](number), [...conditions, ...met])
}

/** Computes every window from scratch: subtracting from a floating-point sum would leave rounding errors. */
export function joinSums(parts: readonly Sums[], from = 0, until = parts.length): Sums {
  let { samples, met, sum, least, greatest } = NO_SUMS
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
  const { samples } = sums
  return aggregation === 'count' ? { value: samples, samples } : toAnswer(samples, JOINABLE[aggregation].value(sums))
}

/** Where the values of a sum are: `stretch` numbers for each group, the first its number, then `column` of its sums. */
interface SumColumn {
  readonly column: number
  readonly width: number
}

/** Adds one sum of each group of a bucket to `totals`, which has `width - 2` sums of each group. */
export function addSums(
  name: keyof Sums,
  totals: Float64Array,
  groups: Float64Array,
  { column, width }: SumColumn,
): void {
  for (let at = 0; at < groups.length; at += width) {
    const total = (groups[at] as number) * (width - 2) + column
    const [known, value] = [totals[total] as number, groups[at + 1 + column] as number]
    totals[total] =
      name === 'least' ? Math.min(known, value) : name === 'greatest' ? Math.max(known, value) : known + value
  }
}

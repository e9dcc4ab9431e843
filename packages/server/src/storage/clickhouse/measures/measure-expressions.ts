import type { MeasureResult, MeasureQuery } from '../../../ports/monitors/monitor-measures.ts'
import { type AggregateRows, eventConditions, traceConditions } from '../series/aggregate-rows.ts'
import { withStep } from '../feed/step-conditions.ts'
import { text } from '../engine/literal.ts'

/** The measured number of a row, and the conditions for rows that have one. */
export interface MeasuredNumber {
  /** An SQL expression. */
  readonly number: string
  /** Conditions that a row must meet to count, without times. */
  readonly conditions: readonly string[]
}

export function measuredNumber(
  { source, filters }: MeasureQuery,
  { stepsWithin }: Pick<AggregateRows, 'stepsWithin'>,
): MeasuredNumber {
  if (source.kind === 'metric') {
    return { number: 'value', conditions: eventConditions(filters) }
  }
  const conditions = [...traceConditions(filters), ...withStep(filters, stepsWithin, null)]
  const { number, known } = TRACE_NUMBERS[source.measure]
  return { number, conditions: [...known, ...conditions] }
}

const TRACE_NUMBERS = {
  count: { number: '1.', known: [] },
  error_rate: { number: `toFloat64(status = 'error')`, known: [] },
  recovered_errors: { number: 'toFloat64(recovered_errors)', known: [] },
  duration_ms: { number: 'toFloat64(duration_ms)', known: ['duration_ms >= 0'] },
  total_tokens: { number: 'toFloat64(total_tokens)', known: [] },
  wasted_tokens: { number: 'toFloat64(wasted_tokens)', known: [] },
} as const

/** The rows counted by `pass_rate` and `share`. */
export function countedRows({ aggregation, option }: MeasureQuery, number: string): string {
  return aggregation === 'share' ? `option = ${text(option ?? '')}` : `${number} = 1`
}

/** For a measure that consists of a count and one more figure. */
export function toAnswer(samples: number, value: number): MeasureResult {
  return { value: samples === 0 ? null : value, samples }
}

/** Restricts an aggregate to rows that meet all conditions. */
export function onlyIf(aggregate: string, conditions: readonly string[]): string {
  if (conditions.length === 0) return aggregate
  const condition = conditions.join(' AND ')
  if (aggregate === 'count()') return `countIf(${condition})`
  // `sum(x)` becomes `sumIf(x, …)`, `quantiles(0.5)(x)` becomes `quantilesIf(0.5)(x, …)`.
  const [, name, rest] = /^(\w+)(\(.*)\)$/.exec(aggregate) ?? []
  return `${name}If${rest}, ${condition})`
}

import { meanDuration, type SummarySort, type TraceSummary } from '../../../ports/traces/trace-summaries.ts'
import { UNKNOWN_DURATION } from '../../../ports/traces/trace-store.ts'
import { UNKNOWN_COST } from '../../../ports/prices/price.ts'
import { integer } from '../engine/literal.ts'

const tokens = (kind: string) => `sum(toFloat64(${kind}_tokens))`

/** Sums over rows of `traces`. */
const SUMS = {
  traces: 'count()',
  steps: 'sum(step_count)',
  errors: `countIf(status = 'error')`,
  input: tokens('input'),
  output: tokens('output'),
  cacheRead: tokens('cache_read'),
  cacheWrite: tokens('cache_write'),
  reasoning: tokens('reasoning'),
  durations: 'sumIf(toFloat64(duration_ms), duration_ms >= 0)',
  timed: 'countIf(duration_ms >= 0)',
  firstAt: 'toUnixTimestamp64Milli(min(created_at))',
  lastAt: 'toUnixTimestamp64Milli(max(created_at))',
} as const
export const SUM_EXPRESSIONS = Object.values(SUMS)

/** The values of SUM_EXPRESSIONS, and the cost as `costKey`. */
export type Figures = readonly [
  traces: number,
  steps: number,
  errors: number,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite: number,
  reasoning: number,
  durations: number,
  timed: number,
  firstAt: number,
  lastAt: number,
  costKey: number,
]

/** Of the figures from `at` on. By index: patterns would iterate, which takes ten times as long. */
export function toFigures(figures: ArrayLike<number>, at = 0) {
  const of = (figure: number) => figures[at + figure] as number
  const tokenUsage = { input: of(3), output: of(4), cacheRead: of(5), cacheWrite: of(6), reasoning: of(7) }
  const meanDurationMs = meanDuration(of(8), of(9))
  const counts = { traceCount: of(0), stepCount: of(1), errorCount: of(2) }
  const sums = { ...counts, firstAt: of(10), lastAt: of(11), tokenUsage, costKey: of(12), meanDurationMs }
  return sums satisfies Partial<TraceSummary>
}

/** The cost of rows as a `costKey`. `cost`: that of one row (`costExpression`). */
export function sumOfCosts(cost: string): string {
  const unknown = integer(UNKNOWN_COST)
  return `if(max(${cost} AS row_cost) = ${unknown}, ${unknown}, sumIf(row_cost, row_cost > ${unknown}))`
}

/** The expression that groups are sorted by: `summaryKey` in SQL. Null: the cost, of which rows have an expression. */
export const SORT_EXPRESSIONS: Readonly<Record<SummarySort, string | null>> = {
  last_at: SUMS.lastAt,
  trace_count: SUMS.traces,
  step_count: SUMS.steps,
  error_count: SUMS.errors,
  total_tokens: `${SUMS.input} + ${SUMS.output}`,
  cost_usd: null,
  mean_duration_ms: `if(${SUMS.timed} = 0, ${integer(UNKNOWN_DURATION)}, toInt64(floor(${SUMS.durations} / ${SUMS.timed} + 0.5)))`,
}

import type { SummarySort, TraceSummary } from '../../../ports/traces/trace-summaries.ts'
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
  firstAt: number,
  lastAt: number,
  costKey: number,
]

export function toFigures([traceCount, stepCount, errorCount, ...more]: Figures) {
  const [input, output, cacheRead, cacheWrite, reasoning, firstAt, lastAt, costKey] = more
  const tokenUsage = { input, output, cacheRead, cacheWrite, reasoning }
  return { traceCount, stepCount, errorCount, firstAt, lastAt, tokenUsage, costKey } satisfies Partial<TraceSummary>
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
}

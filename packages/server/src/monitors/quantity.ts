import type { WatchableMetric } from './metric-lookup.ts'
import { holds } from './monitor-machine.ts'
import type { Aggregation, TraceMeasure } from '../ports/monitors/monitor-measures.ts'
import type { Comparison } from '../ports/monitors/monitor.ts'

const OF_NUMBERS: readonly Aggregation[] = ['avg', 'sum', 'min', 'max', 'p50', 'p95', 'p99']

/** What rows of each kind can come to. */
export const AGGREGATIONS_OF_METRICS: Readonly<Record<WatchableMetric['kind'], readonly Aggregation[]>> = {
  boolean: ['pass_rate', 'avg', 'sum', 'count'],
  numeric: [...OF_NUMBERS, 'count'],
  enum: ['share', 'count'],
}
export const AGGREGATIONS_OF_TRACES: Readonly<Record<TraceMeasure, readonly Aggregation[]>> = {
  count: ['count'],
  error_rate: ['avg', 'sum'],
  duration_ms: OF_NUMBERS,
  total_tokens: OF_NUMBERS,
}

/** Between which values a quantity lies. */
export interface Bounds {
  readonly low: number
  readonly high: number
}

export const ANY_NUMBER: Bounds = { low: -Infinity, high: Infinity }
export const NOT_NEGATIVE: Bounds = { low: 0, high: Infinity }
export const A_SHARE: Bounds = { low: 0, high: 1 }

/** Whether the comparison can never hold, or always does: a threshold like 90 for a rate that was meant in percent. */
export function isDecided(comparison: Comparison, threshold: number, { low, high }: Bounds): 'never' | 'always' | null {
  const [atLow, atHigh] = [holds(comparison, low, threshold), holds(comparison, high, threshold)]
  if (atLow !== atHigh) return null
  return atLow ? 'always' : 'never'
}

import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'
import type { Monitor } from '@spoor/contract/schemas/monitor'
import type { MonitorSearch } from '../search.ts'

type Aggregation = Monitor['aggregation']
export type MonitorMeasure = NonNullable<MonitorSearch['measure']>

const OF_NUMBERS = ['avg', 'p50', 'p95', 'p99', 'min', 'max', 'sum'] as const

/** As docs/monitors.md has it; what suggests itself stands first. */
export const OF_METRICS: Readonly<Record<MetricKind, readonly Aggregation[]>> = {
  boolean: ['pass_rate', 'avg', 'sum', 'count'],
  numeric: [...OF_NUMBERS, 'count'],
  enum: ['share', 'count'],
}

export const OF_TRACES: Readonly<Record<MonitorMeasure, readonly Aggregation[]>> = {
  count: ['count'],
  error_rate: ['avg', 'sum'],
  duration_ms: ['p95', 'p50', 'p99', 'avg', 'min', 'max', 'sum'],
  total_tokens: OF_NUMBERS,
}

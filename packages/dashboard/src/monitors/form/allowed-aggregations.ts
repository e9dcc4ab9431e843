import {
  type Aggregation,
  aggregationsOfMetric,
  aggregationsOfTraces,
  isDuration,
  type MonitorMeasure,
  PERCENTILE_NAMES,
} from '@spoor/contract/aggregations'
import type { MetricKind } from '@spoor/contract/schemas/metrics/metric'

/** The most useful first; the others follow in the order of the contract. */
const ORDER: readonly Aggregation[] = ['pass_rate', 'share', 'avg', ...PERCENTILE_NAMES, 'min', 'max', 'sum']
const ORDER_OF_DURATIONS: readonly Aggregation[] = ['p95', ...PERCENTILE_NAMES, 'avg', 'min', 'max', 'sum']

export function ofMetric(kind: MetricKind): readonly Aggregation[] {
  return inOrder(aggregationsOfMetric(kind), ORDER)
}

export function ofTraces(measure: MonitorMeasure): readonly Aggregation[] {
  return inOrder(aggregationsOfTraces(measure), isDuration(measure) ? ORDER_OF_DURATIONS : ORDER)
}

function inOrder(allowed: readonly Aggregation[], order: readonly Aggregation[]): readonly Aggregation[] {
  return [...new Set([...order.filter((name) => allowed.includes(name)), ...allowed])]
}

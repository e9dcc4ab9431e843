import { toTraceFilters } from '@spoor/contract/trace-filters'
import type {
  Aggregation,
  MeasureFilters,
  MeasureQuery,
  MonitorMeasure as TraceMeasure,
} from '../../../packages/server/src/ports/monitors/monitor-measures.ts'
import { DAY_MS, MONITORED_METRICS } from './series-archive.ts'

export interface MonitorMeasure {
  readonly question: MeasureQuery
  readonly windowMs: number
}

const WINDOWS_MS = [300_000, 900_000, 3_600_000, DAY_MS]
export const NO_FILTERS: MeasureFilters = {
  ...toTraceFilters('monitors', {}),
  metadata: [],
  source: null,
}

/**
 * Three of four on metrics, the others on traces, all with the same window. One of ten filters by run type, one of ten
 * by source or model, one of twenty by metadata.
 */
export function monitorMeasures(count: number): readonly MonitorMeasure[] {
  return Array.from({ length: count }, (_, n) => ({
    question: n % 4 === 3 ? traceMeasure(n >> 2) : eventMeasure(n),
    windowMs: WINDOWS_MS[(n >> 2) % 4] as number,
  }))
}

export function eventMeasure(n: number): MeasureQuery {
  const metricId = MONITORED_METRICS[n % MONITORED_METRICS.length]!
  const aggregations: readonly Aggregation[] =
    n % 2 === 1 ? ['avg', 'p95', 'max', 'p50', 'count'] : ['pass_rate', 'count']
  const aggregation = aggregations[Math.floor(n / 7) % aggregations.length]!
  return {
    source: { kind: 'metric', metricId },
    filters: filters(n, { source: 'human' }),
    aggregation,
    option: null,
    forEach: null,
  }
}

function traceMeasure(n: number): MeasureQuery {
  const [measure, aggregation] = (
    [
      ['error_rate', 'avg'],
      ['duration_ms', 'p95'],
      ['total_tokens', 'sum'],
      ['count', 'count'],
    ] as const satisfies readonly (readonly [TraceMeasure, Aggregation])[]
  )[n % 4]!
  return {
    source: { kind: 'traces', measure },
    filters: filters(n, { model: 'gpt-4o' }),
    aggregation,
    option: null,
    forEach: null,
  }
}

function filters(n: number, other: Partial<MeasureFilters>): MeasureFilters {
  if (n % 20 === 5) return { ...NO_FILTERS, metadata: [{ key: 'env', value: 'prod' }] }
  if (n % 10 === 3) return { ...NO_FILTERS, runType: 'agent' }
  return n % 10 === 7 ? { ...NO_FILTERS, ...other } : NO_FILTERS
}

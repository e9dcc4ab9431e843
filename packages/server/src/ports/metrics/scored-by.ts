import type { TraceFilters } from '@spoor/contract/trace-filters'
import type { MetricEventId, MetricId } from '@spoor/contract/ids'
import type { MetricEventRecord } from '../journal/metric-event.ts'

/** Which metric events count; all conditions that are not null must hold. */
export interface ScoredBy {
  /** Null: of any metric. */
  readonly metricId: MetricId | null
  readonly passed: boolean | null
  /** Bounds of a number; the bound itself matches. */
  readonly min: number | null
  readonly max: number | null
  readonly option: string | null
  /** Bounds on `at`, milliseconds; start inclusive, end exclusive. */
  readonly startTime: number | null
  readonly endTime: number | null
  /** Removed events, which do not count. */
  readonly without?: ReadonlySet<MetricEventId>
}

/** Every event of the metric. */
export function scoredByMetric(metricId: MetricId): ScoredBy {
  return { metricId, passed: null, min: null, max: null, option: null, startTime: null, endTime: null }
}

export function isScoredBy(event: Pick<MetricEventRecord, 'id' | 'metricId' | 'value' | 'at'>, by: ScoredBy): boolean {
  const { value, at } = event
  if (by.without?.has(event.id) === true) return false
  if (at < (by.startTime ?? -Infinity) || at >= (by.endTime ?? Infinity)) return false
  if (by.metricId !== null && event.metricId !== by.metricId) return false
  if (by.passed !== null && !(value.kind === 'boolean' && value.passed === by.passed)) return false
  if (by.min !== null && !(value.kind === 'numeric' && value.number >= by.min)) return false
  if (by.max !== null && !(value.kind === 'numeric' && value.number <= by.max)) return false
  return by.option === null || (value.kind === 'enum' && value.option === by.option)
}

/** The filters of a list that ask for such an event. */
export type ScoreFilters = Pick<
  TraceFilters<'lists'>,
  'metric' | 'passed' | 'minValue' | 'maxValue' | 'option' | 'eventStartTime' | 'eventEndTime'
>

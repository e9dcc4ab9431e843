/*
 * The one table of aggregations over the rows of a monitor's window. The schema, the aggregations of each source, the
 * bounds of the value and the dashboard's labels follow from it.
 */

import { SERIES_MEASURES, type SeriesRows } from './series-fields.ts'

export const MONITOR_MEASURES = [
  'count',
  'error_rate',
  'recovered_errors',
  'duration_ms',
  'time_to_first_token_ms',
  'total_tokens',
  'cost_usd',
  'wasted_tokens',
  'wasted_cost_usd',
] as const
export type MonitorMeasure = (typeof MONITOR_MEASURES)[number]

export function monitorMeasures(rows: SeriesRows): readonly MonitorMeasure[] {
  return MONITOR_MEASURES.filter((name) => SERIES_MEASURES[name].of.some((one) => one === rows))
}

export function isDuration(measure: MonitorMeasure | undefined): boolean {
  return measure === 'duration_ms' || measure === 'time_to_first_token_ms'
}

interface AggregationRow {
  /** In the dashboard. */
  readonly label: string
  /** Kinds of metric it applies to. */
  readonly metrics: readonly ('boolean' | 'numeric' | 'enum')[]
  /** Measures of traces and steps it applies to. */
  readonly measures: readonly MonitorMeasure[]
  /** The result: a value in the `unit` of the rows, a `share` between 0 and 1, or a `count` of rows. */
  readonly result: 'unit' | 'share' | 'count'
}

const NUMBERS = MONITOR_MEASURES.filter((name) => name !== 'count' && name !== 'error_rate')

/** Monitors have all of them. `series`: which series have it too. */
export const PERCENTILES = {
  p50: { fraction: 0.5, label: 'median', series: ['metrics', 'traces'] },
  p90: { fraction: 0.9, label: '90th percentile', series: ['traces'] },
  p95: { fraction: 0.95, label: '95th percentile', series: ['metrics', 'traces'] },
  p99: { fraction: 0.99, label: '99th percentile', series: ['traces'] },
} as const

type SeriesKind = 'metrics' | 'traces'
export type Percentile = keyof typeof PERCENTILES
export type PercentileOf<Of extends SeriesKind> = {
  [Name in Percentile]: Of extends (typeof PERCENTILES)[Name]['series'][number] ? Name : never
}[Percentile]
export const PERCENTILE_NAMES = Object.keys(PERCENTILES) as Percentile[]

export function isPercentile(name: string): name is Percentile {
  return Object.hasOwn(PERCENTILES, name)
}

export function percentilesOf<Of extends SeriesKind>(series: Of): readonly PercentileOf<Of>[] {
  const has = (name: Percentile) => (PERCENTILES[name].series as readonly SeriesKind[]).includes(series)
  return PERCENTILE_NAMES.filter(has) as PercentileOf<Of>[]
}

const PERCENTILE = { metrics: ['numeric'], measures: NUMBERS, result: 'unit' } as const

/** In the order of the documentation. */
export const AGGREGATIONS = {
  avg: { label: 'average', metrics: ['boolean', 'numeric'], measures: ['error_rate', ...NUMBERS], result: 'unit' },
  sum: { label: 'sum', metrics: ['boolean', 'numeric'], measures: ['error_rate', ...NUMBERS], result: 'unit' },
  count: { label: 'count', metrics: ['boolean', 'numeric', 'enum'], measures: ['count'], result: 'count' },
  min: { label: 'minimum', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  max: { label: 'maximum', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  p50: { label: PERCENTILES.p50.label, ...PERCENTILE },
  p90: { label: PERCENTILES.p90.label, ...PERCENTILE },
  p95: { label: PERCENTILES.p95.label, ...PERCENTILE },
  p99: { label: PERCENTILES.p99.label, ...PERCENTILE },
  pass_rate: { label: 'pass rate', metrics: ['boolean'], measures: [], result: 'share' },
  share: { label: 'share', metrics: ['enum'], measures: [], result: 'share' },
} as const satisfies Readonly<Record<string, AggregationRow>>

export type Aggregation = keyof typeof AGGREGATIONS
export const AGGREGATION_NAMES = Object.keys(AGGREGATIONS) as Aggregation[]

/** The label as the beginning of a sentence. */
export function titleOf(name: Aggregation): string {
  const { label } = AGGREGATIONS[name]
  return label.charAt(0).toUpperCase() + label.slice(1)
}

export function aggregationsOfMetric(kind: AggregationRow['metrics'][number]): readonly Aggregation[] {
  return aggregationsWhere((row) => row.metrics.includes(kind))
}

export function aggregationsOfTraces(measure: MonitorMeasure): readonly Aggregation[] {
  return aggregationsWhere((row) => row.measures.includes(measure))
}

/** Shares first, counts last. */
const RESULTS = ['share', 'unit', 'count'] as const

function aggregationsWhere(applies: (row: AggregationRow) => boolean): readonly Aggregation[] {
  return RESULTS.flatMap((result) =>
    AGGREGATION_NAMES.filter((name) => AGGREGATIONS[name].result === result && applies(AGGREGATIONS[name])),
  )
}

/*
 * The one table of aggregations over the rows of a monitor's window. The schema, the aggregations of each source, the
 * bounds of the value and the dashboard's labels follow from it.
 */

export const MONITOR_MEASURES = ['count', 'error_rate', 'recovered_errors', 'duration_ms', 'total_tokens'] as const
export type MonitorMeasure = (typeof MONITOR_MEASURES)[number]

interface AggregationRow {
  /** In the dashboard. */
  readonly label: string
  /** Kinds of metric it applies to. */
  readonly metrics: readonly ('boolean' | 'numeric' | 'enum')[]
  /** Measures of traces it applies to. */
  readonly measures: readonly MonitorMeasure[]
  /** The result: a value in the `unit` of the rows, a `share` between 0 and 1, or a `count` of rows. */
  readonly result: 'unit' | 'share' | 'count'
}

const NUMBERS = ['recovered_errors', 'duration_ms', 'total_tokens'] as const

/** In the order of the documentation. */
export const AGGREGATIONS = {
  avg: { label: 'average', metrics: ['boolean', 'numeric'], measures: ['error_rate', ...NUMBERS], result: 'unit' },
  sum: { label: 'sum', metrics: ['boolean', 'numeric'], measures: ['error_rate', ...NUMBERS], result: 'unit' },
  count: { label: 'count', metrics: ['boolean', 'numeric', 'enum'], measures: ['count'], result: 'count' },
  min: { label: 'minimum', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  max: { label: 'maximum', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  p50: { label: 'median', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  p95: { label: '95th percentile', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  p99: { label: '99th percentile', metrics: ['numeric'], measures: NUMBERS, result: 'unit' },
  pass_rate: { label: 'pass rate', metrics: ['boolean'], measures: [], result: 'share' },
  share: { label: 'share', metrics: ['enum'], measures: [], result: 'share' },
} as const satisfies Readonly<Record<string, AggregationRow>>

export type Aggregation = keyof typeof AGGREGATIONS
export const AGGREGATION_NAMES = Object.keys(AGGREGATIONS) as Aggregation[]

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

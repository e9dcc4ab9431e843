import { isPercentile, type Percentile, percentilesOf, titleOf } from '@spoor/contract/aggregations'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { TraceMeasure } from '../api/series.ts'
import { formatCompact, formatCost, formatCostOnAxis, formatShare, formatValue } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'
import type { PointWeight, SeriesPoint } from '../lib/series-data.ts'

/** One value of a bucket, and how it is drawn. */
export interface Statistic {
  /** In the URL. */
  readonly id: string
  readonly label: string
  readonly scale: 'share' | 'zero' | 'auto'
  /** All values are whole numbers. */
  readonly whole?: boolean
  readonly kind: 'lines' | 'bars'
  /** The value of an empty bucket: a gap, or 0 for counts. */
  readonly empty: 0 | null
  format(value: number): string
  /** For the axis, without the unit. */
  readonly formatOnAxis?: (value: number) => string
  of(point: SeriesPoint): number | null
}

function number(
  id: 'avg' | 'min' | 'max' | Percentile,
  format: (value: number) => string,
  scale: 'auto' | 'zero' = 'auto',
): Statistic {
  const of = (point: SeriesPoint) => point[id] ?? null
  return { id, label: titleOf(id), scale, kind: 'lines', empty: null, format, of }
}

function share(id: string, label: string, of: Statistic['of']): Statistic {
  return { id, label, scale: 'share', kind: 'lines', empty: null, format: formatShare, of }
}

function total(id: string, label: string, of: Statistic['of']): Statistic {
  return { id, label, scale: 'zero', whole: true, kind: 'bars', empty: 0, format: formatCompact, of }
}

const EVENTS = total('count', 'Events', ({ count }) => count)
const TOTAL_COST = total('sum', 'Cost', ({ sum }) => sum ?? 0)
const COST: Statistic = { ...TOTAL_COST, whole: false, format: formatCost, formatOnAxis: formatCostOnAxis }

/**
 * The statistics of a metric; the first is the default. `option`: the option of an enum metric whose share is shown.
 */
export function metricStatistics(metric: Metric, option: string): readonly [Statistic, ...Statistic[]] {
  switch (metric.kind) {
    case 'boolean':
      return [share('pass_rate', 'Pass rate', (point) => point.pass_rate ?? null), EVENTS]
    case 'numeric': {
      const unit = metric.unit === null ? '' : ` ${metric.unit}`
      const format = (value: number) => `${formatValue(value)}${unit}`
      const axis = (id: Parameters<typeof number>[0]) => ({ ...number(id, format), formatOnAxis: formatValue })
      return [axis('avg'), ...percentilesOf('metrics').map(axis), axis('min'), axis('max'), EVENTS]
    }
    case 'enum':
      return [
        share('share', 'Share', ({ counts, count }) => (counts?.[option] ?? 0) / count),
        total('option_count', 'Events', ({ counts }) => counts?.[option] ?? 0),
      ]
  }
}

const MEASURES: Readonly<Record<TraceMeasure, readonly [Statistic, ...Statistic[]]>> = {
  count: [total('count', 'Traces', ({ count }) => count)],
  error_rate: [
    share('error_rate', 'Error rate', (point) => point.error_rate ?? null),
    total('errors', 'Failed traces', ({ error_rate = 0, count }) => Math.round(error_rate * count)),
  ],
  recovered_errors: [total('sum', 'Recovered errors', ({ sum }) => sum ?? 0)],
  duration_ms: [
    number('p50', formatDuration, 'zero'),
    ...percentilesOf('traces')
      .slice(1)
      .map((id) => number(id, formatDuration, 'zero')),
    number('avg', formatDuration, 'zero'),
    number('max', formatDuration, 'zero'),
    number('min', formatDuration, 'zero'),
  ],
  total_tokens: [
    total('sum', 'Tokens', ({ sum }) => sum ?? 0),
    number('avg', formatCompact, 'zero'),
    ...percentilesOf('traces').map((id) => number(id, formatCompact, 'zero')),
    number('max', formatCompact, 'zero'),
  ],
  cost_usd: [COST],
}

export function traceStatistics(measure: TraceMeasure): readonly [Statistic, ...Statistic[]] {
  return MEASURES[measure]
}

export const MEASURE_LABELS: Readonly<Record<TraceMeasure, string>> = {
  count: 'Traces',
  error_rate: 'Error rate',
  recovered_errors: 'Recovered errors',
  duration_ms: 'Duration',
  total_tokens: 'Tokens',
  cost_usd: 'Cost',
}

/** Whether a range's value must be computed from one bucket of the whole range instead of its parts. */
export function isOfWholeRange({ id }: Statistic): boolean {
  return isPercentile(id)
}

/**
 * The rank of a group of traces is its total of the measure, as in the service. Ranking by a rate or a percentile would
 * put groups of a single trace first.
 */
export function weightOf(measure: TraceMeasure): PointWeight {
  switch (measure) {
    case 'count':
      return ({ count }) => count
    case 'error_rate':
      return ({ error_rate = 0, count }) => error_rate * count
    case 'duration_ms':
      return ({ avg = 0, count }) => avg * count
    case 'recovered_errors':
    case 'total_tokens':
    case 'cost_usd':
      return ({ sum = 0 }) => sum
  }
}

/**
 * A statistic over points of several buckets. Exact except for percentiles (see isOfWholeRange), where it is the mean
 * weighted by rows. Null without rows.
 */
export function overall({ id, of, kind }: Statistic, points: readonly SeriesPoint[]): number | null {
  const values = points.flatMap((point) => {
    const value = of(point)
    return value === null ? [] : [{ value, count: point.count }]
  })
  if (values.length === 0) return null
  if (id === 'min') return Math.min(...values.map(({ value }) => value))
  if (id === 'max') return Math.max(...values.map(({ value }) => value))
  if (kind === 'bars') return values.reduce((sum, { value }) => sum + value, 0)
  const rows = values.reduce((sum, { count }) => sum + count, 0)
  return values.reduce((sum, { value, count }) => sum + value * count, 0) / rows
}

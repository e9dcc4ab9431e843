import { isPercentile, type Percentile, percentilesOf, titleOf } from '@spoor/contract/aggregations'
import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { formatCompact, formatShare, formatValue } from '../lib/format-number.ts'
import type { SeriesPoint } from '../lib/series-data.ts'

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

export function number(
  id: 'avg' | 'min' | 'max' | Percentile,
  format: (value: number) => string,
  scale: 'auto' | 'zero' = 'auto',
): Statistic {
  const of = (point: SeriesPoint) => point[id] ?? null
  return { id, label: titleOf(id), scale, kind: 'lines', empty: null, format, of }
}

export function share(id: string, label: string, of: Statistic['of']): Statistic {
  return { id, label, scale: 'share', kind: 'lines', empty: null, format: formatShare, of }
}

export function total(id: string, label: string, of: Statistic['of']): Statistic {
  return { id, label, scale: 'zero', whole: true, kind: 'bars', empty: 0, format: formatCompact, of }
}

const EVENTS = total('count', 'Events', ({ count }) => count)
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

/** Whether a range's value must be computed from one bucket of the whole range instead of its parts. */
export function isOfWholeRange({ id }: Statistic): boolean {
  return isPercentile(id)
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

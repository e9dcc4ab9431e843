import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import { METRIC_SOURCES } from '../lib/metric-sources.ts'
import { oneOf, rangeSearchOf, text } from '../lib/search.ts'
import { bucketMsOf } from '../lib/series-data.ts'
import type { TraceMeasure } from '../api/series.ts'
import type { TimeRange } from '../lib/time-range.ts'

export type MetricSearch = ReturnType<typeof metricSearch>

export const metricSearch = rangeSearchOf({
  /** The name is a measure of traces instead of a metric. */
  of: oneOf(['traces'] as const),
  /** The shown statistic. */
  stat: text,
  /** The option of an enum metric whose share is shown. */
  option: text,
  group_by: text,
  bucket: (value) => (typeof value === 'string' && bucketMsOf(value) > 0 ? value : undefined),
  /** Keys of the drawn groups, if not the largest. */
  show: (value) =>
    Array.isArray(value) && value.every((key) => typeof key === 'string') ? (value as readonly string[]) : undefined,
  source: oneOf(METRIC_SOURCES),
  /** The start of the chosen bucket. */
  at: (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined),
  /** The key of the group of the clicked point. */
  group: text,
  /** The value filter of the listed events. */
  value: text,
  /** Text that metric names contain. */
  q: text,
})

export type ViewedSeries =
  { readonly kind: 'metric'; readonly metric: Metric } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

/** Changes URL parameters; undefined leaves one unchanged. */
export type ChangeSearch = (
  change: { readonly [Key in keyof MetricSearch]?: MetricSearch[Key] | undefined },
  replace: boolean,
) => void

export interface PointProps {
  readonly search: MetricSearch
  readonly range: TimeRange
  readonly bucketMs: number
  readonly onSearch: ChangeSearch
}

import type { Metric } from '@spoor/contract/schemas/metrics/metric'
import type { TraceMeasure } from '../api/series.ts'
import type { TimeRange } from '../lib/time-range.ts'
import type { MetricSearch } from './search.ts'

/** What a series screen shows. */
export type ViewedSeries =
  { readonly kind: 'metric'; readonly metric: Metric } | { readonly kind: 'traces'; readonly measure: TraceMeasure }

/** Changes URL parameters; undefined leaves one unchanged. */
export type ChangeSearch = (
  change: { readonly [Key in keyof MetricSearch]?: MetricSearch[Key] | undefined },
  replace: boolean,
) => void

/** What the list below a chart is about. */
export interface PointProps {
  readonly search: MetricSearch
  readonly range: TimeRange
  readonly bucketMs: number
  readonly onSearch: ChangeSearch
}
